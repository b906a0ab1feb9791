import { afterEach, expect, test, vi } from 'vitest';
import { aDelivery, anEvent, secret, sentAt } from './support/a-delivery';
import { verdict, verifyOnTheWeb } from './support/verifiers';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Lets WebCrypto do its work, and something else happen after each signature that it looked into. */
function meanwhile(change: () => void): () => number {
  const verify = crypto.subtle.verify.bind(crypto.subtle);
  const spy = vi.spyOn(crypto.subtle, 'verify').mockImplementation(async (...of) => {
    const holds = await verify(...of);
    change();
    return holds;
  });
  return () => spy.mock.calls.length;
}

test('each signature is looked into once', async () => {
  const count = meanwhile(() => undefined);
  await verifyOnTheWeb({ ...aDelivery(), secret, now: sentAt });
  expect(count()).toBe(2);
});

test('a body that is written over meanwhile is returned as it was signed', async () => {
  const { payload, headers } = aDelivery();
  const forged = payload.toString().replace('fulfilling', 'cancelled!');
  meanwhile(() => payload.write(forged));
  const options = { payload, headers, secret, now: sentAt };
  expect(await verifyOnTheWeb(options)).toEqual(anEvent);
  expect(await verdict(verifyOnTheWeb({ ...options, diagnose: false }))).toBe('SIGNATURE_MISMATCH');
});

test('headers and secrets that change meanwhile change nothing', async () => {
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
