/** The sink on real brokers and a real worker. */
package dev.rabbitbridge.harness.sink;
