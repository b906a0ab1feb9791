import { expect, test } from 'vitest';
import { issueKey } from '../../src/features/accounts/api-key';
import { createEndpointSecret } from '../../src/features/webhooks/webhook';
import { redactSecrets } from '../../src/http/request-log';
import { aContext } from '../helpers/builders';

test('the redaction removes API keys and endpoint secrets, plain or percent-encoded', () => {
  const key = { accountId: 'usr_1', readOnly: false, expiresAt: null };
  for (let count = 0; count < 100; count += 1) {
    const { apiKey } = issueKey(key, aContext());
    const secret = createEndpointSecret();
    const redacted = redactSecrets(
      `/v1/orders/${apiKey} /${encodeURIComponent(secret)} ${secret}.`,
    );
    expect(redacted).toBe('/v1/orders/tpk_… /whsec_… whsec_….');
  }
});

test('the redaction does not change IDs and words', () => {
  const text = '/v1/orders/ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH reads tpk_<key>';
  expect(redactSecrets(text)).toBe(text);
});
