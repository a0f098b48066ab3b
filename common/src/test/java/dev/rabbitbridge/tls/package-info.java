/** Certificates for tests, made when they run; the integration tests use them too. */
@NullMarked
package dev.rabbitbridge.tls;

import org.jspecify.annotations.NullMarked;
