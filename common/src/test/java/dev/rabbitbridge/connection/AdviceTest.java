// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.MalformedFrameException;
import com.rabbitmq.client.ShutdownSignalException;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.failure.ErrorClassifier;
import dev.rabbitbridge.failure.Fault;
import dev.rabbitbridge.failure.Stage;
import java.io.IOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AdviceTest {
  private static final Map<String, String> PLAIN = Map.of();
  private static final Map<String, String> URI = Map.of("rabbitmq.uri", "amqp://u:s3cret@h/v");
  private static final Map<String, String> EXTERNAL =
      Map.of("rabbitmq.security.protocol", "SSL", "rabbitmq.sasl.mechanism", "EXTERNAL");
  private static final Map<String, String> OAUTH2 =
      Map.of(
          "rabbitmq.sasl.mechanism", "OAUTH2",
          "rabbitmq.oauth2.token.endpoint.uri", "https://idp/token");

  static Stream<Arguments> table() {
    AuthenticationFailureException login = new AuthenticationFailureException("ACCESS_REFUSED");
    return Stream.of(
        row(PLAIN, login, Fault.PASSWORD, "rabbitmq.username and rabbitmq.password"),
        row(URI, login, Fault.PASSWORD, "rabbitmq.uri"),
        row(EXTERNAL, login, Fault.CERTIFICATE_LOGIN, "rabbitmq.ssl.keystore.location"),
        row(OAUTH2, login, Fault.TOKEN, "rabbitmq.oauth2.token.endpoint.uri"),
        row(PLAIN, connectionClose(AMQP.NOT_ALLOWED), Fault.VIRTUAL_HOST, "rabbitmq.virtual.host"),
        row(URI, connectionClose(AMQP.NOT_ALLOWED), Fault.VIRTUAL_HOST, "rabbitmq.uri"),
        row(PLAIN, channelClose(AMQP.ACCESS_REFUSED), Fault.CHANNEL, "rabbitmq.username"),
        row(PLAIN, channelClose(AMQP.NOT_FOUND), Fault.CHANNEL, "rabbitmq.topology"),
        row(PLAIN, channelClose(AMQP.PRECONDITION_FAILED), Fault.CHANNEL, "rabbitmq.topology"),
        row(PLAIN, new MalformedFrameException("HTTP"), Fault.PROTOCOL, "rabbitmq.port"),
        row(URI, new MalformedFrameException("HTTP"), Fault.PROTOCOL, "rabbitmq.uri"),
        row(
            PLAIN,
            tls(new CertPathBuilderException()),
            Fault.TLS_AUTHORITY,
            "rabbitmq.ssl.truststore.location"),
        row(PLAIN, tls(new CertificateException("name")), Fault.TLS_HOST, "rabbitmq.host"),
        row(
            PLAIN,
            tls(new CertPathValidatorException(new CertificateExpiredException())),
            Fault.TLS_EXPIRED,
            "out of date"),
        row(
            PLAIN,
            new SSLHandshakeException("alert"),
            Fault.TLS_HANDSHAKE,
            "rabbitmq.ssl.keystore.location"),
        row(PLAIN, new SSLException("no TLS"), Fault.PROTOCOL, "rabbitmq.security.protocol"),
        row(
            PLAIN,
            new ConfigException("rabbitmq.ssl.x is wrong"),
            Fault.SETTING,
            "rabbitmq.ssl.x is wrong"));
  }

  @ParameterizedTest
  @MethodSource("table")
  void everyRefusalNamesItsSetting(
      Map<String, String> props, Throwable error, Fault fault, String named) {
    assertThat(advice(props, error).fault()).isEqualTo(fault);
    assertThat(sentence(props, error)).contains(named).doesNotContain("s3cret");
    assertThat(sentence(props, new IOException(error))).contains(named);
  }

  @Test
  void theSentenceSaysWhereAndWhat() {
    assertThat(sentence(PLAIN, connectionClose(AMQP.NOT_ALLOWED)))
        .isEqualTo(
            "RabbitMQ at [localhost:5672] refused the connection: 530 reply text. Check"
                + " rabbitmq.virtual.host and the user's permissions on that virtual host.");
  }

  @Test
  void theSentenceHasOneFullStopWhereRabbitMQHasOneToo() {
    assertThat(sentence(PLAIN, new AuthenticationFailureException("See the log.")))
        .contains("See the log. Check ");
  }

  static Stream<Arguments> hints() {
    return Stream.of(
        Arguments.of(PLAIN, new UnknownHostException("rabbit"), "rabbitmq.host"),
        Arguments.of(URI, new UnknownHostException("rabbit"), "rabbitmq.uri"),
        Arguments.of(PLAIN, new TimeoutException(), "rabbitmq.port"),
        Arguments.of(
            EXTERNAL, new SocketException("Broken pipe"), "rabbitmq.ssl.keystore.location"));
  }

  @ParameterizedTest
  @MethodSource("hints")
  void whatMayGoAwayByItselfIsHintedAt(Map<String, String> props, Throwable error, String named) {
    assertThat(hint(props, error, Stage.START)).contains(named);
  }

  @Test
  void aBrokerThatIsDownOrWentDownNeedsNoHint() {
    assertThat(hint(PLAIN, new java.net.ConnectException("refused"), Stage.START))
        .doesNotContain("rabbitmq.");
    assertThat(hint(PLAIN, new TimeoutException(), Stage.RUNNING)).doesNotContain("rabbitmq.");
  }

  private static String sentence(Map<String, String> props, Throwable error) {
    return advice(props, error).sentence();
  }

  private static Advice advice(Map<String, String> props, Throwable error) {
    return Advice.of(ErrorClassifier.classify(error, Stage.START), config(props));
  }

  private static String hint(Map<String, String> props, Throwable error, Stage stage) {
    return Advice.withHint(ErrorClassifier.classify(error, stage), config(props), stage);
  }

  private static ConnectionConfig config(Map<String, String> props) {
    return new ConnectionConfig(
        new AbstractConfig(ConnectionConfig.addTo(new ConfigDef()), props, false));
  }

  private static Arguments row(
      Map<String, String> props, Throwable error, Fault fault, String named) {
    return Arguments.of(props, error, fault, named);
  }

  private static Throwable tls(Throwable cause) {
    return new SSLHandshakeException("handshake").initCause(cause);
  }

  private static ShutdownSignalException connectionClose(int code) {
    var reason = new AMQP.Connection.Close.Builder().replyCode(code).replyText("reply text");
    return new ShutdownSignalException(true, false, reason.build(), null);
  }

  private static ShutdownSignalException channelClose(int code) {
    var reason = new AMQP.Channel.Close.Builder().replyCode(code).replyText("reply text");
    return new ShutdownSignalException(false, false, reason.classId(50).methodId(10).build(), null);
  }
}
