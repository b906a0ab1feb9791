import { expect, test } from 'vitest';
import { issueKey } from '../../src/features/accounts/api-key';
import { createEndpointSecret } from '../../src/features/webhooks/webhook';
import { redactSecrets } from '../../src/http/request-log';
import { aContext } from '../helpers/builders';

test('no key and no endpoint secret appears in what is logged, written or percent-encoded', () => {
  const key = { accountId: 'usr_1', readOnly: false, expiresAt: null };
  for (let count = 0; count < 100; count += 1) {
    const { apiKey } = issueKey(key, aContext());
    const secret = createEndpointSecret();
    const told = redactSecrets(`/v1/orders/${apiKey} /${encodeURIComponent(secret)} ${secret}.`);
    expect(told).toBe('/v1/orders/tpk_… /whsec_… whsec_….');
  }
});

test('ids and words are left as they are', () => {
  const text = '/v1/orders/ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH reads tpk_<key>';
  expect(redactSecrets(text)).toBe(text);
});
