/** TLS, logins, secrets and validation, on a RabbitMQ with certificates made for the run. */
@NullMarked
package dev.rabbitbridge.harness.security;

import org.jspecify.annotations.NullMarked;
