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
    ['a quoted empty secret', { secret: '""', on }, 'secret is missing or empty'],
    ['the prefix of a secret alone', { secret: 'whsec_', on }, 'secret is missing or empty'],
    [
      'a line break after a secret',
      { secret: `${secret}\n`, on },
      'whitespace or quotes around it',
    ],
    ['a space before a secret', { secret: ` ${secret}`, on }, 'whitespace or quotes around it'],
    ['quotes around a secret', { secret: `"${secret}"`, on }, 'whitespace or quotes around it'],
    ['an API key', { secret: 'tpk_0123456789abcdef', on }, 'secret is an API key'],
    ['the ID of a webhook', { secret: 'whk_01M7YT9NQM92', on }, 'secret is the ID of a webhook'],
    ['a URL', { secret: 'https://receiver.example', on }, 'secret is a URL'],
    ['a reference to a secret', { secret: 'op://vault/webhook/secret', on }, 'secret is a URL'],
    ['the text undefined', { secret: 'undefined', on }, 'what a missing value becomes'],
    ['the text undefined after the prefix', { secret: 'whsec_undefined', on }, 'a missing value'],
    ['JSON', { secret: JSON.stringify({ secret }, null, 2), on }, 'secret is a JSON object'],
    ['a secret in an object', { secret: { secret }, on }, 'not a text (its type is object)'],
    ['the bytes of a secret', { secret: Buffer.from(secret), on }, 'not a text'],
    ['the text null', { secret: 'null', on }, 'what a missing value becomes'],
    ['the text of a promise', { secret: String(Promise.resolve()), on }, 'what a missing value'],
    ['an API key beside a secret', { secret, secrets: ['tpk_0'], on }, 'secret is an API key'],
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
    ['no handler', { secret }, 'it has no handler'],
    ['null in place of handlers', { secret, on: null }, 'add one to on'],
    [
      'no handler among its event types',
      { secret, on: { 'order.created': undefined } },
      'onUnhandled',
    ],
    ['only events to ignore', { secret, on: {}, onUnhandled: 'ignore' }, 'it has no handler'],
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

  test('without the text of the secret', () => {
    for (const wrong of [`${secret} `, 'tpk_0123456789abcdef', 'https://receiver.example']) {
      expect(() => webhookReceiver({ secret: wrong, on })).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining(wrong.trim()) }),
      );
    }
  });

  test('and accepts secrets of other services, whatever their form is', () => {
    for (const other of ['s3cr3t', 'abc-_/+=', 'two words', 'nullable', 'key:value']) {
      expect(() => webhookReceiver({ secret: other, on })).not.toThrow();
    }
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
    expect(() => webhookReceiver({ secrets: [secret], onUnhandled: none })).not.toThrow();
  });
});
