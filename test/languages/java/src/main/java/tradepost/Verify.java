package tradepost;

import static tradepost.Report.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Verifies the deliveries of test vectors and compares the verdicts: Verify FILE... */
public final class Verify {
  public static void main(String[] files) throws Exception {
    for (var file : files) {
      var path = Path.of(file);
      for (var vector : new ObjectMapper().readTree(path.toFile()).get("vectors")) {
        verify(path.getFileName() + ": " + vector.get("name").asText(), vector);
      }
    }
  }

  private static void verify(String name, JsonNode vector) throws Exception {
    var body = Base64.getDecoder().decode(vector.get("body").asText());
    Map<String, List<String>> headers = new HashMap<>();
    vector.get("headers").properties()
        .forEach(header -> headers.put(header.getKey(), List.of(header.getValue().asText())));
    var serviceSignature = headers.getOrDefault("Service-Signature", List.of()).stream()
        .findFirst().orElse(null);

    // While a secret is replaced, a receiver has two, and accepts a signature of either.
    var service = false;
    var webhook = false;
    for (var secret : vector.get("secrets")) {
      service |= Signatures.hasServiceSignature(secret.asText(), serviceSignature, body);
      webhook |= Signatures.hasWebhookSignature(secret.asText(), headers, body);
    }
    var expected = vector.get("expected");
    compare(name + ": Service-Signature", service, expected.get("serviceSignature").asBoolean());
    compare(name + ": webhook-signature", webhook, expected.get("webhookSignature").asBoolean());
  }

  private static void compare(String check, boolean accepted, boolean expected) {
    report(check, accepted == expected, "accepted: " + accepted + ", expected: " + expected);
  }
}
