import { describe, expect, test } from 'vitest';
import { createMemoryDedupeStore } from '../../src/receiver/dedupe-store';
import { webhookReceiver } from '../../src/receiver/webhook-receiver';
import { exampleSecret as secret } from '../../src/testing/index';

describe('a receiver rejects options when it is created:', () => {
  const on = { 'order.created': () => undefined };
  test.each<[string, unknown, string]>([
    ['no options', undefined, 'pass options'],
    ['no secret', { on }, 'secret is missing or empty'],
    ['no secret, as in a build', { on, secret: undefined }, 'pass a function: secret: () =>'],
    ['the promise of a secret', { secret: Promise.resolve(secret), on }, 'is a promise: await it'],
    ['a function among several secrets', { secrets: [() => secret], on }, 'pass what the function'],
    ['an empty secret', { secret: '', on }, 'Is its environment variable set?'],
    ['a blank secret', { secret: ' ', on }, 'secret is missing or empty'],
    [
      'an undefined secret beside another',
      { secret, secrets: [undefined], on },
      'secret is missing',
    ],
    ['a misspelt option', { secret, requireTimestamps: true }, 'Did you mean requireTimestamp?'],
    [
      'a misspelt event type',
      { secret, on: { 'order.create': () => 0 } },
      'Did you mean order.created?',
    ],
    [
      'a handler that is no function',
      { secret, on: { 'order.created': 'x' } },
      'must be a function',
    ],
    ['a misspelt onUnhandled', { secret, on, onUnhandled: 'ignored' }, "a function or 'ignore'"],
    ['a tolerance that is no number', { secret, on, tolerance: 'x' }, 'tolerance must be'],
    ['a negative maxEventAge', { secret, on, maxEventAge: -1 }, 'maxEventAge must be'],
    ['a maxEventAge that is no number', { secret, on, maxEventAge: 'x' }, 'maxEventAge must be'],
    ['a maxBytes of 0', { secret, on, maxBytes: 0 }, 'maxBytes must be'],
    ['a maxBytes that is NaN', { secret, on, maxBytes: Number.NaN }, 'maxBytes must be'],
    ['work in the background without onError', { secret, on, background: true }, 'needs onError'],
    ['a background that is no function', { secret, on, background: 'yes' }, 'background must be'],
    [
      'a store without release',
      { secret, on, dedupe: { claim() {}, complete() {} } },
      'it has no release',
    ],
    ['a misspelt test', { secret, on, test: 'delivered' }, "'acknowledge' or 'deliver'"],
    ['a clock that is no function', { secret, on, now: 5 }, 'now must be a function'],
  ])('%s', (_, options, message) => {
    expect(() => webhookReceiver(options as never)).toThrow(
      expect.objectContaining({
        name: 'WebhookVerificationError',
        code: 'INVALID_CONFIGURATION',
        message: expect.stringContaining(message),
      }),
    );
  });

  test('and accepts every option', () => {
    const none = () => undefined;
    const all = {
      secret,
      secrets: [secret],
      requireTimestamp: true,
      tolerance: 300,
      maxEventAge: 90_000,
      maxBytes: 1_000,
      diagnose: true,
      now: Date.now,
      on,
      onUnhandled: none,
      dedupe: createMemoryDedupeStore(),
      background: true,
      onError: none,
      onVerificationError: none,
      validate: () => [],
      test: 'deliver',
    } as const;
    expect(() => webhookReceiver(all)).not.toThrow();
    expect(() => webhookReceiver({ secrets: [secret], onUnhandled: 'ignore' })).not.toThrow();
  });
});
