import { afterEach, expect, test, vi } from 'vitest';
import { verifyWebhook } from '../../src/webhooks/index';
import { aDelivery, anEvent, aPlainDelivery, secret, sentAt } from '../helpers/a-delivery';
import { verdict, verifyOnTheWeb } from '../helpers/verifiers';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs a function after each signature that WebCrypto verifies. */
function meanwhile(change: () => void): () => number {
  const verify = crypto.subtle.verify.bind(crypto.subtle);
  const spy = vi.spyOn(crypto.subtle, 'verify').mockImplementation(async (...of) => {
    const matches = await verify(...of);
    change();
    return matches;
  });
  return () => spy.mock.calls.length;
}

test('each signature is checked once', async () => {
  const count = meanwhile(() => undefined);
  await verifyOnTheWeb({ ...aDelivery(), secret, now: sentAt });
  expect(count()).toBe(2);
});

test("a runtime whose process.getBuiltinModule throws uses WebCrypto, as Next's edge runtime does", async () => {
  const count = meanwhile(() => undefined);
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => {
    throw new Error('A Node.js API is used (process.getBuiltinModule) which is not supported.');
  });
  const options = { ...aDelivery(), secret, now: sentAt };
  expect(await verifyWebhook(options)).toEqual(anEvent);
  expect(count()).toBe(2);
  const forged = { ...options, secret: 'whsec_of_another_webhook' };
  expect(await verdict(verifyWebhook(forged))).toBe('WRONG_SECRET');
});

test('a body that is overwritten during verification is returned as signed', async () => {
  const { payload, headers } = aDelivery();
  const forged = payload.toString().replace('fulfilling', 'cancelled!');
  meanwhile(() => payload.write(forged));
  const options = { payload, headers, secret, now: sentAt };
  expect(await verifyOnTheWeb(options)).toEqual(anEvent);
  expect(await verdict(verifyOnTheWeb({ ...options, diagnose: false }))).toBe('SIGNATURE_MISMATCH');
});

test('headers and secrets that change during verification have no effect', async () => {
  const { payload, headers } = aDelivery();
  const secrets = [secret];
  meanwhile(() => {
    for (const name of Object.keys(headers)) delete headers[name];
    secrets.pop();
  });
  const options = { payload, headers, secrets, requireTimestamp: true, now: sentAt };
  expect(await verifyOnTheWeb(options)).toEqual(anEvent);
  expect([headers, secrets]).toEqual([{}, []]);
});

test.each([
  [{ requireTimestamp: true }, 'MISSING_HEADER'],
  [{ maxEventAge: 0.5 }, 'EVENT_TOO_OLD'],
  [{ maxBytes: 5 }, 'BODY_TOO_LARGE'],
  [{ tolerance: -1 }, 'INVALID_CONFIGURATION'],
  [{ signature: '00' }, 'MALFORMED_SIGNATURE'],
])('inherited options are respected: %o', async (restrictions, code) => {
  // A spread does not copy inherited properties, as in an instance of a class.
  const inherited = { secret, now: sentAt, diagnose: false, ...restrictions };
  const options = Object.assign(Object.create(inherited), aPlainDelivery());
  expect(await verdict(verifyOnTheWeb(options))).toBe(code);
});

test('copies no body that is too large', async () => {
  const copy = vi.spyOn(Uint8Array, 'from');
  const payload = new Uint8Array(10_000);
  const options = { payload, signature: '00', secret, maxBytes: 9_999, diagnose: false };
  expect(await verdict(verifyOnTheWeb(options))).toBe('BODY_TOO_LARGE');
  expect(copy).not.toHaveBeenCalled();
});

test('computes no signature twice during diagnosis', async () => {
  const { payload, headers } = aPlainDelivery();
  const pretty = Buffer.from(JSON.stringify(JSON.parse(payload.toString()), null, 2));
  const sign = vi.spyOn(crypto.subtle, 'verify');
  const options = { payload: pretty, headers, secret, diagnose: true };
  expect(await verdict(verifyOnTheWeb(options))).toBe('BODY_RESERIALIZED');
  const messages = sign.mock.calls.map(([, , , message]) => Buffer.from(message as Uint8Array));
  // The received body once for each form of the secret; then as the service serializes it.
  expect(messages.filter((message) => message.equals(pretty))).toHaveLength(2);
  expect(messages.filter((message) => message.equals(payload))).toHaveLength(1);
});
