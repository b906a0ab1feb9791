import { describe, expect, test } from 'vitest';
import { aDelivery, anEvent, aPlainDelivery, secret, sentAt } from '../helpers/a-delivery';
import { verifiers } from '../helpers/verifiers';

const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

describe.each(verifiers)('%s', (_, verify) => {
  describe('rejects an invalid configuration', () => {
    test.each<[string, object, string]>([
      ['no secret', {}, 'the one from the registration response'],
      ['an undefined secret', { secret: undefined }, 'secret is missing or empty'],
      ['an empty secret', { secret: '' }, 'secret is missing or empty'],
      ['a blank secret', { secret: ' \n' }, 'secret is missing or empty'],
      ['an empty list of secrets', { secrets: [] }, 'secret is missing or empty'],
      ['a list with an empty secret', { secrets: [secret, ''] }, 'secret is missing or empty'],
      ['a secret that is not a text', { secret: Buffer.from(secret) }, 'not a text'],
      ['no room for a body', { secret, maxBytes: 0 }, 'maxBytes must be a positive number'],
      ['an invalid limit', { secret, maxBytes: Number.NaN }, 'maxBytes'],
      ['null for a list', { secrets: null }, 'secret is missing or empty'],
      ['a list with a hole', { secrets: [secret, undefined] }, 'secret is missing or empty'],
      ['a tolerance of 0', { secret, tolerance: 0 }, 'tolerance must be a positive number'],
      ['a negative tolerance', { secret, tolerance: -5 }, 'tolerance must be a positive number'],
      ['an endless tolerance', { secret, tolerance: Number.POSITIVE_INFINITY }, 'tolerance'],
      ['a tolerance that is NaN', { secret, tolerance: Number.NaN }, 'tolerance'],
      ['an invalid time', { secret, now: new Date('never') }, 'now must be'],
      ['a maxEventAge of 0', { secret, maxEventAge: 0 }, 'maxEventAge must be'],
      ['a misspelt option', { secret, requireTimestamps: true }, 'Did you mean requireTimestamp?'],
      ['an option of a receiver', { secret, onUnhandled: 'ignore' }, 'no option "onUnhandled"'],
    ])('%s', async (_name, options, message) => {
      const verification = verify({ ...aDelivery(), ...options });
      await expect(verification).rejects.toThrow(message);
      await expect(verification).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
    });
  });

  test.each(['whsec_', 'undefined', 'null', 'whsec_undefined', ' [object Promise]'])(
    'never accepts a forged delivery because its secret is %j, which anyone could guess',
    async (guessed) => {
      const forged = verify({ ...aPlainDelivery({ key: guessed }), secret: guessed });
      await expect(forged).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
    },
  );

  test('accepts a change of status with a reason', async () => {
    const event = { ...anEvent, data: { ...anEvent.data, reason: 'The buyer has paid: 30 €.' } };
    expect(await verify({ ...aDelivery({ body: event }), secret, now: sentAt })).toEqual(event);
  });

  describe('reports the fix when the body is not raw', () => {
    test.each<[string, unknown]>([
      ['a parsed object', anEvent],
      ['a parsed list', [1]],
      ['undefined, as Express has it without a parser', undefined],
      ['null', null],
      ['a number', 5],
      ['a Blob', new Blob(['{}'])],
      ['a stream of a runtime', new ReadableStream()],
    ])('%s', async (_name, payload) => {
      const { headers } = aDelivery();
      const verification = verify({ payload: payload as string, headers, secret });
      await expect(verification).rejects.toMatchObject({ code: 'BODY_ALREADY_PARSED' });
      await expect(verification).rejects.toThrow("express.raw({ type: 'application/json' })");
    });
  });

  describe('accepts only a complete envelope', () => {
    const { createdAt, data } = anEvent;
    const event = 'order.created';

    test.each<[string, string, string, string]>([
      ['nothing', '', 'MALFORMED_BODY', 'JSON'],
      ['no JSON', '<xml/>', 'MALFORMED_BODY', 'JSON'],
      ['a list', '[]', 'MALFORMED_BODY', 'JSON object'],
      ['null', 'null', 'MALFORMED_BODY', 'JSON object'],
      ['no event', JSON.stringify({ createdAt, data }), 'MISSING_EVENT', '"event"'],
      [
        'an event that is not a text',
        JSON.stringify({ event: 1, createdAt, data }),
        'MISSING_EVENT',
        '"event"',
      ],
      [
        'an empty event',
        JSON.stringify({ event: '', createdAt, data }),
        'MISSING_EVENT',
        '"event"',
      ],
      ['no createdAt', JSON.stringify({ event, data }), 'MALFORMED_BODY', '"createdAt"'],
      ['no data', JSON.stringify({ event, createdAt }), 'MALFORMED_BODY', '"data"'],
      [
        'data that is a list',
        JSON.stringify({ event, createdAt, data: [] }),
        'MALFORMED_BODY',
        '"data"',
      ],
      [
        'data that is null',
        JSON.stringify({ event, createdAt, data: null }),
        'MALFORMED_BODY',
        '"data"',
      ],
    ])('and rejects one that is %s', async (_name, body, code, message) => {
      const verification = verify({ ...aDelivery({ body: Buffer.from(body) }), secret });
      await expect(verification).rejects.toMatchObject({ code });
      await expect(verification).rejects.toThrow(message);
    });

    test('and reports that the field is called event when the body has type', async () => {
      const body = { type: event, createdAt, data };
      const verification = verify({ ...aDelivery({ body }), secret });
      await expect(verification).rejects.toMatchObject({ code: 'MISSING_EVENT' });
      await expect(verification).rejects.toThrow(
        'it has "type", but this service names the type in "event"',
      );
    });
  });

  test('throws an error with a name, a code and a message', async () => {
    const error = await verify({ ...aDelivery(), secret: otherSecret }).catch((caught) => caught);
    expect(error).toBeInstanceOf(Error);
    expect(error.code).toBe('SIGNATURE_MISMATCH');
    expect(error.name).toBe('WebhookVerificationError');
    expect(error.message).not.toContain(otherSecret);
  });
});
