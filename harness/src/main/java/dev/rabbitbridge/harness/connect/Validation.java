// SPDX-License-Identifier: Apache-2.0
package dev.rabbitbridge.harness.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Connect's answer to a validation.
 *
 * @param answer the JSON object
 */
public record Validation(JsonNode answer) {
  /**
   * Returns how many errors Connect counts.
   *
   * @return 0 for a good configuration
   */
  public int errorCount() {
    return answer.path("error_count").asInt();
  }

  /**
   * Returns the errors by the setting they are about.
   *
   * @return only settings with an error
   */
  public Map<String, List<String>> errors() {
    Map<String, List<String>> errors = new LinkedHashMap<>();
    for (JsonNode config : answer.path("configs")) {
      List<String> texts = new ArrayList<>();
      config.path("value").path("errors").forEach(text -> texts.add(text.asText()));
      if (!texts.isEmpty()) {
        errors.put(config.path("value").path("name").asText(), texts);
      }
    }
    return errors;
  }
}
