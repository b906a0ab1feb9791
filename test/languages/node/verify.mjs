// Verifies the deliveries of test vectors without the SDK, and compares the verdicts: verify.mjs FILE...

import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** Whether `Service-Signature` is right. Its key is the whole text of the secret, with `whsec_`. */
function hasServiceSignature(secret, headers, body) {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const received = Buffer.from(headers['Service-Signature'] ?? '');
  return expected.length === received.length && timingSafeEqual(expected, received);
}

/** Whether the Standard Webhooks library accepts a delivery: its ID, its timestamp and its body. */
function hasWebhookSignature(secret, headers, body) {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    // The signatures are right: the library parses the body then, and it is not JSON.
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}

for (const file of process.argv.slice(2)) {
  const { vectors } = JSON.parse(readFileSync(file, 'utf8'));
  for (const { name, secrets, headers, body, expected } of vectors) {
    const raw = Buffer.from(body, 'base64');
    const compare = (header, verify, verdict) => {
      // While a secret is replaced, a receiver has two, and accepts a signature of either.
      const accepted = secrets.some((secret) => verify(secret, headers, raw));
      const check = `${basename(file)}: ${name}: ${header}`;
      const detail = `accepted: ${accepted}, expected: ${verdict}`;
      console.log(JSON.stringify({ check, ok: accepted === verdict, detail }));
    };
    compare('Service-Signature', hasServiceSignature, expected.serviceSignature);
    compare('webhook-signature', hasWebhookSignature, expected.webhookSignature);
  }
}
