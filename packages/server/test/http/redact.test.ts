import { aContext } from '@tradepost/domain/test/builders';
import { createEndpointSecret } from '@tradepost/domain/webhooks/webhook';
import { expect, test } from 'vitest';
import { redactPath, resolveRequestId } from '../../src/http/request-log';
import { issueKey } from '../../src/kernel/api-key';
import { redactSecrets } from '../../src/kernel/redact';

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

test('the redaction of a path removes keys, however they are percent-encoded', () => {
  const { apiKey } = issueKey({ accountId: 'usr_1', readOnly: false, expiresAt: null }, aContext());
  const encode = (text: string) =>
    text.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  for (const path of [apiKey.replace('_', '%5F'), encode(apiKey), `%ff${encode(apiKey)}`]) {
    expect(redactPath(`/v1/orders/${path}`)).toMatch(/^\/v1\/orders\/(%ff)?tpk_…$/);
  }
  for (const path of ['/v1/orders/a%20b', '/%', '/%E0%A4%A', '/v1/orders/%5F']) {
    expect(redactPath(path)).toBe(path);
  }
});

test('a key is not used as a request ID, because IDs are logged', () => {
  const { apiKey } = issueKey({ accountId: 'usr_1', readOnly: false, expiresAt: null }, aContext());
  expect(resolveRequestId(apiKey)).toMatch(/^req_[0-9a-f]{32}$/);
  expect(resolveRequestId('order-import-7')).toBe('order-import-7');
});
