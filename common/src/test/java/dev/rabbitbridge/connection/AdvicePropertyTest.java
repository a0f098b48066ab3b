// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.MalformedFrameException;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import dev.rabbitbridge.config.ConnectionConfig;
import dev.rabbitbridge.failure.ErrorClassifier;
import dev.rabbitbridge.failure.Failure;
import dev.rabbitbridge.failure.Stage;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.jspecify.annotations.Nullable;

class AdvicePropertyTest {
  private static final List<Function<@Nullable String, Throwable>> ERRORS =
      List.of(
          IOException::new,
          EOFException::new,
          SocketException::new,
          UnknownHostException::new,
          SSLException::new,
          SSLHandshakeException::new,
          CertPathBuilderException::new,
          TimeoutException::new,
          MalformedFrameException::new,
          AuthenticationFailureException::new,
          PossibleAuthenticationFailureException::new,
          IllegalStateException::new,
          text -> new ShutdownSignalException(true, false, null, null));

  private final ConnectionConfig config =
      new ConnectionConfig(
          new AbstractConfig(
              ConnectionConfig.addTo(new ConfigDef()),
              Map.of("rabbitmq.security.protocol", "SSL"),
              false));

  @Property(tries = 500)
  void noSentenceEndsInNothing(@ForAll("errors") Throwable error, @ForAll Stage stage) {
    Failure failure = ErrorClassifier.classify(error, stage);

    assertThat(failure.toString()).isNotBlank();
    for (String sentence :
        List.of(
            failure + ".",
            Advice.of(failure, config).sentence(),
            Advice.withHint(failure, config, stage) + ".")) {
      assertThat(sentence).doesNotContainPattern(": *(null|[.;,)])").doesNotContain("null");
    }
  }

  /** Errors with and without a message, with and without causes. */
  @Provide
  Arbitrary<Throwable> errors() {
    Arbitrary<@Nullable String> messages = Arbitraries.of("reset", "", " ").injectNull(0.5);
    Arbitrary<Throwable> one = Arbitraries.of(ERRORS).flatMap(error -> messages.map(error));
    return one.list()
        .ofMinSize(1)
        .ofMaxSize(3)
        .map(
            chain -> {
              for (int i = 1; i < chain.size(); i++) {
                try {
                  chain.get(i - 1).initCause(chain.get(i));
                } catch (IllegalStateException e) {
                  // Some kinds have their cause for good.
                }
              }
              return chain.get(0);
            });
  }
}
