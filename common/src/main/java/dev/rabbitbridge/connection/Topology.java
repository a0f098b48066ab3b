// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import dev.rabbitbridge.config.TopologyConfig;
import dev.rabbitbridge.failure.ErrorClassifier;
import dev.rabbitbridge.failure.Failure;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.failure.Stage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges, queues and bindings that a connector expects or makes.
 *
 * <p>Declaring what exists with the same properties changes nothing; with others the broker
 * refuses, and the task fails with both. Not thread safe: for the thread that connects.
 */
public final class Topology {
  private final TopologyConfig.Mode mode;
  private final List<Step> steps = new ArrayList<>();
  private boolean ensured;

  /**
   * Creates a topology without anything in it.
   *
   * @param mode what to do with what is added
   */
  public Topology(TopologyConfig.Mode mode) {
    this.mode = mode;
  }

  /**
   * Puts together a queue with its exchange, bindings and dead letters, as configured.
   *
   * @param config what to make
   * @param exchange the exchange that the queue is bound to; "" or null binds to none
   * @param queues the queues
   * @param defaultBindingKey what to bind with unless the configuration says it
   * @return the topology
   */
  public static Topology of(
      TopologyConfig config,
      @Nullable String exchange,
      List<String> queues,
      String defaultBindingKey) {
    Topology topology = new Topology(config.mode());
    boolean bound = exchange != null && !exchange.isEmpty();
    if (bound) {
      topology.exchange(
          exchange, config.exchangeType(), config.exchangeDurable(), config.exchangeArguments());
    }
    Map<String, Object> arguments = new LinkedHashMap<>(config.queueArguments());
    arguments.putIfAbsent("x-queue-type", config.queueType().name().toLowerCase(Locale.ROOT));
    String deadLetterExchange = config.deadLetterExchange();
    String deadLetterQueue = config.deadLetterQueue();
    if (deadLetterExchange != null) {
      topology.exchange(deadLetterExchange, "fanout", true, Map.of());
      arguments.put("x-dead-letter-exchange", deadLetterExchange);
    } else if (deadLetterQueue != null) {
      arguments.put("x-dead-letter-exchange", "");
      arguments.put("x-dead-letter-routing-key", deadLetterQueue);
    }
    if (deadLetterQueue != null) {
      topology.queue(deadLetterQueue, Map.of("x-queue-type", "quorum"));
      if (deadLetterExchange != null) {
        topology.binding(deadLetterExchange, deadLetterQueue, "");
      }
    }
    List<String> keys =
        config.bindingKeys().isEmpty() ? List.of(defaultBindingKey) : config.bindingKeys();
    for (String queue : queues) {
      topology.queue(queue, arguments);
      if (bound) {
        keys.forEach(key -> topology.binding(exchange, queue, key));
      }
    }
    return topology;
  }

  /**
   * Adds an exchange.
   *
   * @param name its name
   * @param type its type
   * @param durable whether it survives a restart
   * @param arguments its arguments
   */
  public void exchange(String name, String type, boolean durable, Map<String, Object> arguments) {
    steps.add(
        new Step(
            "exchange '" + name + "'",
            type + (durable ? ", durable, " : ", ") + arguments,
            channel -> channel.exchangeDeclarePassive(name),
            channel ->
                channel.exchangeDeclare(name, type, durable, false, new HashMap<>(arguments))));
  }

  /**
   * Adds a durable queue.
   *
   * @param name its name
   * @param arguments its arguments
   */
  public void queue(String name, Map<String, Object> arguments) {
    steps.add(
        new Step(
            "queue '" + name + "'",
            "durable, " + arguments,
            channel -> channel.queueDeclarePassive(name),
            channel -> channel.queueDeclare(name, true, false, false, new HashMap<>(arguments))));
  }

  /**
   * Adds a binding. Bindings cannot be looked at, so {@code check} leaves them out.
   *
   * @param exchange from here
   * @param queue to here
   * @param key the routing key
   */
  public void binding(String exchange, String queue, String key) {
    steps.add(
        new Step(
            "binding of queue '" + queue + "' to exchange '" + exchange + "'",
            "routing key '" + key + "'",
            channel -> {},
            channel -> channel.queueBind(queue, exchange, key)));
  }

  /**
   * Checks or declares everything, on a connection that was just opened.
   *
   * @param connection an open connection
   * @throws ConnectException with one sentence, if something is missing, is otherwise than
   *     configured, or is not permitted
   * @throws IOException if the connection was lost meanwhile
   */
  public void ensure(BrokerConnection connection) throws IOException {
    if (mode == TopologyConfig.Mode.NONE || (mode == TopologyConfig.Mode.CHECK && ensured)) {
      return;
    }
    for (Step step : steps) {
      Channel channel = connection.openChannel();
      try {
        (mode == TopologyConfig.Mode.CHECK ? step.check : step.declare).on(channel);
        channel.abort();
      } catch (IOException | ShutdownSignalException e) {
        Failure failure = ErrorClassifier.classify(e, ensured ? Stage.RUNNING : Stage.START);
        if (failure.isTransient()) {
          throw e;
        }
        boolean check = mode == TopologyConfig.Mode.CHECK;
        Fault fault = check ? Fault.TOPOLOGY_EXPECTED : Fault.TOPOLOGY_REFUSED;
        throw fault.exception(
            step.what
                + (check
                    ? " is expected, but: "
                    : " cannot be declared as configured (" + step.properties + "): ")
                + failure
                + ". Correct the rabbitmq.topology settings or what exists in RabbitMQ, then restart the task.",
            e);
      }
    }
    ensured = true;
  }

  private record Step(String what, String properties, Call check, Call declare) {}

  @FunctionalInterface
  private interface Call {
    void on(Channel channel) throws IOException;
  }
}
