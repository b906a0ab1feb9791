package tradepost;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.EmptyWebhookSecretException;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** How a receiver in Java verifies a delivery: over the raw body, before it parses it. */
final class Signatures {
  private Signatures() {}

  /**
   * Whether Service-Signature is right. Its key is the whole text of the secret, with whsec_.
   *
   * @param received the header, or null if there is none
   */
  static boolean hasServiceSignature(String secret, String received, byte[] body)
      throws GeneralSecurityException {
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    var expected = HexFormat.of().formatHex(mac.doFinal(body));
    return received != null
        && MessageDigest.isEqual(expected.getBytes(UTF_8), received.getBytes(UTF_8));
  }

  /** Whether the Standard Webhooks library accepts a delivery: its ID, its timestamp and its body. */
  static boolean hasWebhookSignature(String secret, Map<String, List<String>> headers, byte[] body) {
    try {
      // The library takes the body as text, so decode it as what it is: the default charset may be another.
      new Webhook(secret).verify(new String(body, UTF_8), headers);
      return true;
    } catch (WebhookVerificationException | EmptyWebhookSecretException error) {
      return false;
    }
  }
}
