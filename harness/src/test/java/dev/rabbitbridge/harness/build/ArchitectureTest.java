// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.build;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.rabbitbridge.failure.Fault;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;

/** The arrows of the house: sink to common, source to common, harness to all. */
@AnalyzeClasses(packages = "dev.rabbitbridge", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String OURS = "dev.rabbitbridge..";
  private static final String CONFIRM = "dev.rabbitbridge.confirm..";
  private static final String FAILURE = "dev.rabbitbridge.failure..";
  private static final String CONNECTION = "dev.rabbitbridge.connection..";
  private static final String SINK = "dev.rabbitbridge.sink..";
  private static final String SOURCE = "dev.rabbitbridge.source..";
  private static final String HARNESS = "dev.rabbitbridge.harness..";

  @ArchTest
  static final ArchRule confirmNeedsOnlyTheJdk =
      classes()
          .that()
          .resideInAPackage(CONFIRM)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "org.jspecify..", CONFIRM);

  @ArchTest
  static final ArchRule failureNeedsNothingOfOurs =
      noClasses()
          .that()
          .resideInAPackage(FAILURE)
          .should()
          .dependOnClassesThat(resideInAPackage(OURS).and(not(resideInAPackage(FAILURE))));

  @ArchTest
  static final ArchRule sinkAndSourceNeverMeet =
      noClasses()
          .that()
          .resideInAPackage(SINK)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(SOURCE);

  @ArchTest
  static final ArchRule sourceAndSinkNeverMeet =
      noClasses()
          .that()
          .resideInAPackage(SOURCE)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(SINK);

  @ArchTest
  static final ArchRule commonKnowsNoConnector =
      noClasses()
          .that(resideInAPackage(OURS).and(not(resideInAnyPackage(SINK, SOURCE, HARNESS))))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(SINK, SOURCE);

  @ArchTest
  static final ArchRule nothingThatShipsKnowsTheHarness =
      noClasses()
          .that(resideInAPackage(OURS).and(not(resideInAPackage(HARNESS))))
          .should()
          .dependOnClassesThat()
          .resideInAPackage(HARNESS);

  @ArchTest
  static final ArchRule onlyPublisherAndConsumersHoldAChannel =
      fields()
          .that()
          .haveRawType(Channel.class)
          .should()
          .beDeclaredInClassesThat()
          .resideInAnyPackage(CONNECTION, HARNESS)
          .orShould()
          .beDeclaredInClassesThat()
          .haveNameMatching(
              "dev\\.rabbitbridge\\.(sink\\.AmqpPublishChannel|source\\.(QueueConsumer|RetryPublisher))");

  @ArchTest
  static final ArchRule tasksFailOnlyWithWhatTheCatalogueHas =
      noClasses()
          .that(resideInAPackage(OURS).and(not(resideInAPackage(HARNESS))))
          .and()
          .doNotBelongToAnyOf(Fault.class)
          .should()
          .callConstructorWhere(
              target(owner(assignableTo(ConnectException.class)))
                  // Of one record or message; whoever catches it gives it its id.
                  .and(not(target(owner(type(DataException.class))))));

  @ArchTest
  static void everyFaultIsUsed(JavaClasses all) {
    Set<String> used =
        all.get(Fault.class).getFieldAccessesToSelf().stream()
            .filter(access -> !access.getOriginOwner().isEquivalentTo(Fault.class))
            .map(access -> access.getTarget().getName())
            .collect(Collectors.toSet());

    assertThat(Arrays.stream(Fault.values()).map(Enum::name)).allMatch(used::contains);
  }

  @ArchTest
  static final ArchRule connectsInternalsAreNotUsed =
      noClasses()
          .that(resideInAPackage(OURS).and(not(resideInAPackage(HARNESS))))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.kafka.connect.runtime..", "org.apache.kafka.common.utils..");
}
