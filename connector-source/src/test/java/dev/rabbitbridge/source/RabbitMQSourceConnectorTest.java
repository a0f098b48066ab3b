// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rabbitbridge.config.PluginVersion;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.source.ConnectorTransactionBoundaries;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;
import org.junit.jupiter.api.Test;

class RabbitMQSourceConnectorTest {
  private final RabbitMQSourceConnector connector = new RabbitMQSourceConnector();

  @Test
  void theServiceLoaderFindsItWithTheBuildsVersion() { // F92
    assertThat(ServiceLoader.load(SourceConnector.class))
        .singleElement()
        .isInstanceOf(RabbitMQSourceConnector.class)
        .extracting(SourceConnector::version)
        .isEqualTo(PluginVersion.get());
  }

  @Test
  void theSmallestConfigurationIsValid() {
    assertThat(errors(Map.of())).isEmpty();
  }

  @Test
  void anOptionalKeyThatIsLeftBlankIsNotSet() { // F90
    Map<String, String> blank = new HashMap<>();
    connector.config().configKeys().values().stream()
        .filter(key -> key.defaultValue == null)
        .forEach(key -> blank.put(key.name, ""));
    assertThat(blank).containsKeys("rabbitmq.queue.topic.map", "rabbitmq.consumer.priority");

    assertThat(errors(blank)).isEmpty();
  }

  @Test
  void eachMissingRequiredKeyIsAnErrorOnThatKey() { // F90
    assertThat(
            connector.validate(Map.of()).configValues().stream()
                .filter(value -> !value.errorMessages().isEmpty())
                .map(ConfigValue::name))
        .containsExactlyInAnyOrder("rabbitmq.queue", "kafka.topic");
  }

  @Test
  void eachWrongValueIsAnErrorOnExactlyItsKey() { // F90
    Map<String, String> wrong =
        Map.ofEntries(
            Map.entry("rabbitmq.port", "70000"),
            Map.entry("rabbitmq.prefetch.count", "0"),
            Map.entry("rabbitmq.requested.heartbeat.seconds", "-5"),
            Map.entry("rabbitmq.queue", " , "),
            Map.entry("rabbitmq.queue.type", "quorum"),
            Map.entry("kafka.topic", "a topic"),
            Map.entry("rabbitmq.queue.topic.map", "[]"),
            Map.entry("rabbitmq.record.key", "header:"),
            Map.entry("rabbitmq.value.format", "avro"),
            Map.entry("rabbitmq.stream.offset", "yesterday"),
            Map.entry("rabbitmq.consumer.arguments", "nonsense"),
            Map.entry("rabbitmq.record.error.behavior", "ignore"),
            Map.entry("producer.override.acks", "0"),
            Map.entry("batch.size", "0"));
    wrong.forEach(
        (key, value) ->
            assertThat(errors(Map.of(key, value)).keySet())
                .as(key)
                .containsExactly(key.equals("batch.size") ? "rabbitmq.poll.max.records" : key));
  }

  @Test
  void topicTemplatesAreChecked() {
    assertThat(errors(Map.of("kafka.topic", "from-${queue}.${header:region|eu}"))).isEmpty();
    assertThat(errors(Map.of("kafka.topic", "${quue}")).get("kafka.topic"))
        .singleElement()
        .asString()
        .contains("${queue}");
  }

  @Test
  void theTopicMapNamesOnlyQueuesThatAreRead() {
    assertThat(errors(Map.of("rabbitmq.queue.topic.map", "{\"q\":\"t\"}"))).isEmpty();
    assertThat(errors(Map.of("rabbitmq.queue.topic.map", "{\"other\":\"t\"}")))
        .containsOnlyKeys("rabbitmq.queue.topic.map");
  }

  @Test
  void aQueueWhoseDelayQueueWouldHaveTooLongANameIsRefused() {
    Map<String, String> props = new HashMap<>(Map.of("rabbitmq.queue", "q".repeat(245)));
    assertThat(errors(props)).isEmpty();
    props.put("rabbitmq.skipped.record.behavior", "retry");
    assertThat(errors(props)).containsOnlyKeys("rabbitmq.queue");
    props.put("rabbitmq.retry.delay.ms", "100");
    assertThat(errors(props)).isEmpty();
  }

  @Test
  void whatAStreamCannotDoIsRefused() {
    for (Map.Entry<String, String> key :
        Map.of(
                "rabbitmq.record.error.behavior", "reject",
                "rabbitmq.skipped.record.behavior", "retry",
                "rabbitmq.delivery.limit", "3")
            .entrySet()) {
      assertThat(errors(Map.of("rabbitmq.queue.type", "stream", key.getKey(), key.getValue())))
          .containsOnlyKeys(key.getKey());
    }
    assertThat(
            errors(
                Map.of(
                    "rabbitmq.queue.type", "stream",
                    "rabbitmq.queue.consumer.mode", "shared",
                    "tasks.max", "2")))
        .containsOnlyKeys("rabbitmq.queue.consumer.mode");
  }

  @Test
  void anExclusiveConsumerForSeveralTasksOnOneQueueIsRefused() {
    Map<String, String> props = new HashMap<>(Map.of("rabbitmq.consumer.exclusive", "true"));
    props.put("tasks.max", "2");
    assertThat(errors(props)).isEmpty();
    props.put("rabbitmq.queue.consumer.mode", "shared");
    assertThat(errors(props)).containsOnlyKeys("rabbitmq.consumer.exclusive");
    props.put("tasks.max", "1");
    assertThat(errors(props)).isEmpty();
  }

  @Test
  void keysOfOtherConnectorsAreNoErrors() {
    assertThat(
            errors(
                Map.of(
                    "batch.size", "10",
                    "backoff.time.ms", "20",
                    "rabbitmq.prefetch.global", "true",
                    "rabbitmq.automatic.recovery.enabled", "true",
                    "confluent.license", "")))
        .isEmpty();
  }

  @Test
  void argumentsOfTheConsumerAreTypedExceptForAFilterWhichIsText() {
    RabbitMQSourceConfig config =
        new RabbitMQSourceConfig(
            Map.of(
                "rabbitmq.queue", "s",
                "kafka.topic", "t",
                "rabbitmq.consumer.arguments", "x-stream-filter:007,x-n:7,x-flag:true,x-text:a:b"));

    assertThat(config.consumerArguments())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("x-stream-filter", "007", "x-n", 7L, "x-flag", true, "x-text", "a:b"));
  }

  @Test
  void queuesAreDealtOutToTasks() {
    connector.start(props(Map.of("rabbitmq.queue", "a,b,c,b")));

    assertThat(queuesOf(connector.taskConfigs(2))).containsExactly("a,c", "b");
    assertThat(queuesOf(connector.taskConfigs(9))).containsExactly("a", "b", "c");
    assertThat(connector.taskConfigs(2))
        .extracting(task -> task.get("task.id"))
        .containsExactly("0", "1");
  }

  @Test
  void inSharedModeEveryTaskReadsEveryQueue() { // F35
    connector.start(
        props(Map.of("rabbitmq.queue", "a,b", "rabbitmq.queue.consumer.mode", "shared")));

    assertThat(queuesOf(connector.taskConfigs(3))).containsExactly("a,b", "a,b", "a,b");
  }

  @Test
  void tooFewTasksForTheQueuesIsAnErrorThatSaysWhatToRaise() {
    Map<String, String> tooFew =
        Map.of("rabbitmq.queue", "a,b,c", "rabbitmq.max.queue.per.task", "1", "tasks.max", "2");

    assertThat(errors(tooFew).get("rabbitmq.max.queue.per.task"))
        .singleElement()
        .asString()
        .contains("tasks.max");
    connector.start(props(tooFew));
    assertThatThrownBy(() -> connector.taskConfigs(2))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("tasks.max");
    assertThat(connector.taskConfigs(3)).hasSize(3);
  }

  @Test
  void exactlyOnceIsPromisedForStreamsAndWithDeduplicationAndForNothingElse() { // F78
    assertThat(support(Map.of())).isEqualTo(ExactlyOnceSupport.UNSUPPORTED);
    assertThat(support(Map.of("rabbitmq.queue.type", "auto")))
        .isEqualTo(ExactlyOnceSupport.UNSUPPORTED);
    assertThat(support(Map.of("rabbitmq.queue.type", "Stream")))
        .isEqualTo(ExactlyOnceSupport.SUPPORTED);
    assertThat(support(Map.of("rabbitmq.deduplication", "message-id")))
        .isEqualTo(ExactlyOnceSupport.SUPPORTED);
    assertThat(connector.canDefineTransactionBoundaries(props(Map.of())))
        .isEqualTo(ConnectorTransactionBoundaries.UNSUPPORTED);
  }

  @Test
  void whatCannotBeExactlyOnceIsRefusedWithTheWayOut() {
    Map<String, String> required = Map.of("exactly.once.support", "required");
    assertRefused(
        required,
        "rabbitmq.deduplication",
        "message-id is what exactly.once.support=required takes for classic and quorum queues; for a stream set rabbitmq.queue.type=stream");
    assertThat(errors(with(required, "rabbitmq.queue.type", "stream"))).isEmpty();
    Map<String, String> once = with(required, "rabbitmq.deduplication", "message-id");
    assertThat(errors(once)).isEmpty();
    assertRefused(
        with(once, "rabbitmq.queue.type", "stream"),
        "rabbitmq.deduplication",
        "is not needed with a stream, which is read by offset; use none");
    assertRefused(
        with(once, "rabbitmq.queue.consumer.mode", "shared"),
        "rabbitmq.queue.consumer.mode",
        "shared is not possible with rabbitmq.deduplication: a redelivery would go to a task that knows nothing of the first; use dedicated");
    for (String behavior : List.of("reject", "retry")) {
      assertRefused(
          with(once, "rabbitmq.skipped.record.behavior", behavior),
          "rabbitmq.skipped.record.behavior",
          "has to be ack with rabbitmq.deduplication: a redelivery of a skipped message is acked");
    }
    assertThat(errors(with(once, "rabbitmq.prefetch.count", "7936"))).isEmpty();
    assertRefused(
        with(once, "rabbitmq.prefetch.count", "7937"),
        "rabbitmq.prefetch.count",
        "may be at most 7936 with rabbitmq.deduplication, which remembers four times as many messages");
  }

  private void assertRefused(Map<String, String> more, String key, String why) {
    Map<String, List<String>> errors = errors(more);
    assertThat(errors).containsOnlyKeys(key);
    assertThat(errors.get(key)).singleElement().asString().contains(why);
  }

  private ExactlyOnceSupport support(Map<String, String> more) {
    return connector.exactlyOnceSupport(props(more));
  }

  private static Map<String, String> with(Map<String, String> props, String key, String value) {
    Map<String, String> more = new HashMap<>(props);
    more.put(key, value);
    return more;
  }

  private static List<String> queuesOf(List<Map<String, String>> tasks) {
    return tasks.stream().map(task -> task.get("rabbitmq.queue")).toList();
  }

  private static Map<String, String> props(Map<String, String> more) {
    Map<String, String> props = new HashMap<>(Map.of("rabbitmq.queue", "q", "kafka.topic", "t"));
    props.putAll(more);
    return props;
  }

  private Map<String, List<String>> errors(Map<String, String> more) {
    return connector.validate(props(more)).configValues().stream()
        .filter(value -> !value.errorMessages().isEmpty())
        .collect(Collectors.toMap(ConfigValue::name, ConfigValue::errorMessages));
  }
}
