/**
 * The configuration that both connectors share, and how configurations are checked. For the
 * connectors' config classes.
 */
@NullMarked
package dev.rabbitbridge.config;

import org.jspecify.annotations.NullMarked;
