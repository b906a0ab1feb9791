import { describe, expect, test } from 'vitest';
import { eventKinds, WebhookVerificationError } from '../src/webhooks/index';
import {
  aDelivery,
  anEvent,
  aPlainDelivery,
  secret,
  sentAt,
  serviceSignature,
  standardSignature,
} from './support/a-delivery';
import { verdict, verifiers } from './support/verifiers';

const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

describe.each(verifiers)('%s', (_, verify) => {
  describe('accepts a delivery', () => {
    test('and returns its event, told apart by event', async () => {
      const event = await verify({ ...aDelivery(), secret });
      expect(event).toEqual(anEvent);
      if (event.event === 'order.status_changed') expect(event.data.status).toBe('fulfilling');
    });

    test.each(eventKinds)('of kind %s', async (event) => {
      const body = { event, createdAt: anEvent.createdAt, data: {} };
      expect((await verify({ ...aDelivery({ body }), secret })).event).toBe(event);
    });

    test('of a kind that this version does not know', async () => {
      const body = { event: 'order.exploded', createdAt: anEvent.createdAt, data: {}, more: 1 };
      expect(await verify({ ...aDelivery({ body }), secret })).toEqual(body);
    });

    test('from a service that has only the interface: its signature alone decides', async () => {
      expect(await verify({ ...aPlainDelivery(), secret, now: 0 })).toEqual(anEvent);
    });

    test('by its signature alone, where the headers are not at hand', async () => {
      const { payload, headers } = aPlainDelivery();
      const signature = headers['service-signature'];
      expect(await verify({ payload, signature, secret })).toEqual(anEvent);
    });

    test('whose body is a string, bytes, a view of bytes, or a buffer', async () => {
      const { payload, headers } = aDelivery();
      const buffer = new Uint8Array(payload).buffer;
      const wider = new Uint8Array([0, 0, 0, ...payload, 0]);
      const inside = wider.subarray(3, -1);
      for (const form of [payload.toString(), payload, new Uint8Array(payload), inside, buffer]) {
        expect(await verify({ payload: form, headers, secret })).toEqual(anEvent);
      }
      const view = new DataView(buffer) as unknown as Uint8Array;
      expect(await verify({ payload: view, headers, secret })).toEqual(anEvent);
    });

    test('whose headers come as Headers, as a record in any case, or with lists', async () => {
      const { payload, headers } = aDelivery();
      const shouted = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
      const listed = Object.entries(headers).map(([name, value]) => [name, [value]]);
      for (const form of [
        new Headers(headers),
        new Map(Object.entries(headers)),
        Object.fromEntries(shouted),
        Object.fromEntries(listed),
        { 'Service-Signature': undefined, ...headers },
      ]) {
        expect(await verify({ payload, headers: form, secret })).toEqual(anEvent);
      }
    });

    test('whose bytes are not valid UTF-8: the bytes are hashed, not a text', async () => {
      const head = Buffer.from('{"event":"order.created","createdAt":"x","data":{"note":"');
      const body = Buffer.concat([head, Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from('"}}')]);
      expect((await verify({ ...aDelivery({ body }), secret })).event).toBe('order.created');
    });

    test('that begins with a byte order mark', async () => {
      const body = Buffer.concat([
        Buffer.from([0xef, 0xbb, 0xbf]),
        Buffer.from(JSON.stringify(anEvent)),
      ]);
      expect(await verify({ ...aDelivery({ body }), secret })).toEqual(anEvent);
    });

    test('signed with any of several secrets', async () => {
      const secrets = [otherSecret, secret];
      expect(await verify({ ...aDelivery(), secrets })).toEqual(anEvent);
      expect(await verify({ ...aDelivery({ key: otherSecret }), secrets })).toEqual(anEvent);
      expect(await verify({ ...aDelivery(), secret, secrets: [otherSecret] })).toEqual(anEvent);
    });

    test('with several webhook-signatures, while a new secret is staged', async () => {
      const { payload, headers } = aDelivery();
      const staged = standardSignature(payload, 'evt_1', String(sentAt / 1_000), otherSecret);
      const signatures = `v1a,xyz ${staged} ${headers['webhook-signature']}`;
      const both = { ...headers, 'webhook-signature': signatures };
      expect(await verify({ payload, headers: both, secret })).toEqual(anEvent);
    });

    test('whose secret is a plain text, when nothing but Service-Signature is sent', async () => {
      const key = 'correct horse battery staple ✓';
      expect(await verify({ ...aPlainDelivery({ key }), secret: key })).toEqual(anEvent);
    });
  });

  describe('refuses a delivery', () => {
    const { payload, headers } = aDelivery();
    const { 'service-signature': signature = '', ...others } = headers;

    test.each<[string, object, string]>([
      ['without headers', { headers: {} }, 'MISSING_SIGNATURE'],
      ['without anything to verify', { headers: undefined }, 'MISSING_SIGNATURE'],
      [
        'without Service-Signature, however well the rest is signed',
        { headers: others },
        'MISSING_SIGNATURE',
      ],
      ['with an empty signature', { headers: { 'service-signature': '' } }, 'MISSING_SIGNATURE'],
      ['in uppercase hex', { signature: signature.toUpperCase() }, 'MALFORMED_SIGNATURE'],
      ['with a prefix', { signature: `sha256=${signature}` }, 'MALFORMED_SIGNATURE'],
      ['with a line break', { signature: `${signature}\n` }, 'MALFORMED_SIGNATURE'],
      ['with half a signature', { signature: signature.slice(32) }, 'MALFORMED_SIGNATURE'],
      ['with no hex', { signature: 'g'.repeat(64) }, 'MALFORMED_SIGNATURE'],
      [
        'with two signatures',
        { headers: { 'service-signature': [signature, signature] } },
        'MALFORMED_SIGNATURE',
      ],
      [
        'with the signature of another body',
        { signature: serviceSignature(Buffer.from('{}')) },
        'SIGNATURE_MISMATCH',
      ],
      ['with the signature of another secret', { secret: otherSecret }, 'SIGNATURE_MISMATCH'],
      [
        'with a part of the secret',
        { secret: secret.slice('whsec_'.length) },
        'SIGNATURE_MISMATCH',
      ],
      [
        'that was parsed and stringified again',
        { payload: JSON.stringify(anEvent, null, 2) },
        'SIGNATURE_MISMATCH',
      ],
    ])('%s', async (_name, changes, code) => {
      expect(await verdict(verify({ payload, headers, secret, ...changes }))).toBe(code);
    });

    test.each<[string, Record<string, string | undefined>, string]>([
      [
        'webhook-timestamp without a signature',
        { 'webhook-signature': undefined },
        'MISSING_SIGNATURE',
      ],
      [
        'webhook-signature without a timestamp',
        { 'webhook-timestamp': undefined },
        'MISSING_HEADER',
      ],
      ['webhook-signature without an id', { 'webhook-id': undefined }, 'MISSING_HEADER'],
      ['a timestamp that is no number', { 'webhook-timestamp': 'now' }, 'MALFORMED_TIMESTAMP'],
      ['a timestamp in hex', { 'webhook-timestamp': '0x10' }, 'MALFORMED_TIMESTAMP'],
      ['a negative timestamp', { 'webhook-timestamp': '-1' }, 'MALFORMED_TIMESTAMP'],
      [
        'another timestamp than the signed one',
        { 'webhook-timestamp': `${sentAt / 1_000 + 1}` },
        'SIGNATURE_MISMATCH',
      ],
      ['another id than the signed one', { 'webhook-id': 'evt_2' }, 'SIGNATURE_MISMATCH'],
      ['an unknown signature version', { 'webhook-signature': 'v2,AAAA' }, 'MALFORMED_SIGNATURE'],
      [
        'a signature of the wrong length',
        { 'webhook-signature': 'v1,AAAA' },
        'MALFORMED_SIGNATURE',
      ],
      [
        'a signature that is not base64',
        { 'webhook-signature': `v1,${'-'.repeat(44)}` },
        'MALFORMED_SIGNATURE',
      ],
    ])('with %s', async (_name, changes, code) => {
      const changed = { ...headers, ...changes };
      expect(await verdict(verify({ payload, headers: changed, secret }))).toBe(code);
    });

    test('whose webhook-signature spells the right bytes in another way', async () => {
      const last = headers['webhook-signature']?.at(-2) ?? '';
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
      const twin = alphabet[alphabet.indexOf(last) + 1] ?? '';
      const respelt = headers['webhook-signature']?.replace(/.=$/, `${twin}=`);
      expect(Buffer.from(respelt?.slice(3) ?? '', 'base64')).toEqual(
        Buffer.from(headers['webhook-signature']?.slice(3) ?? '', 'base64'),
      );
      const changed = { ...headers, 'webhook-signature': respelt };
      expect(await verdict(verify({ payload, headers: changed, secret }))).toBe(
        'MALFORMED_SIGNATURE',
      );
    });

    test('with a signed timestamp, when the secret is not the base64 that signs it', async () => {
      const key = 'not base64!';
      const plain = serviceSignature(payload, key);
      const mixed = { ...headers, 'service-signature': plain };
      expect(await verdict(verify({ payload, headers: mixed, secret: key }))).toBe(
        'SIGNATURE_MISMATCH',
      );
    });

    test('with a signed timestamp, when only whsec_ is left of the secret', async () => {
      const key = 'whsec_';
      const signed = { ...headers, 'service-signature': serviceSignature(payload, key) };
      expect(await verdict(verify({ payload, headers: signed, secret: key }))).toBe(
        'SIGNATURE_MISMATCH',
      );
    });
  });

  describe('knows a replay by its signed timestamp', () => {
    const later = (seconds: number) => sentAt + seconds * 1_000;

    test.each([
      [0, 'accepted'],
      [300, 'accepted'],
      [301, 'TIMESTAMP_TOO_OLD'],
      [86_400, 'TIMESTAMP_TOO_OLD'],
      [-300, 'accepted'],
      [-301, 'TIMESTAMP_TOO_NEW'],
    ])('%i s after it was sent it is %s', async (seconds, code) => {
      expect(await verdict(verify({ ...aDelivery(), secret, now: later(seconds) }))).toBe(code);
    });

    test('within a tolerance of its own', async () => {
      const delivery = { ...aDelivery(), secret, tolerance: 10 };
      expect(await verdict(verify({ ...delivery, now: later(10) }))).toBe('accepted');
      expect(await verdict(verify({ ...delivery, now: later(11) }))).toBe('TIMESTAMP_TOO_OLD');
    });

    test('measured against a date, or against the clock when no time is given', async () => {
      const now = new Date(later(301));
      expect(await verdict(verify({ ...aDelivery(), secret, now }))).toBe('TIMESTAMP_TOO_OLD');
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const delivery = { ...aDelivery({ timestamp }), secret, now: undefined };
      expect(await verdict(verify(delivery))).toBe('accepted');
    });

    test('and believes no timestamp that is not signed', async () => {
      const { payload, headers } = aDelivery();
      const fresh = { ...headers, 'webhook-timestamp': String(later(3_600) / 1_000) };
      const replay = { payload, headers: fresh, secret, now: later(3_600) };
      expect(await verdict(verify(replay))).toBe('SIGNATURE_MISMATCH');
    });
  });

  describe('where requireTimestamp is set', () => {
    const { payload, headers } = aDelivery();
    const required = { payload, headers, secret, requireTimestamp: true };
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

    test('accepts a delivery that is signed in both ways', async () => {
      expect(await verify(required)).toEqual(anEvent);
    });

    test.each(names)('refuses a delivery without %s, or with an empty one', async (name) => {
      for (const value of [undefined, '']) {
        const stripped = { ...required, headers: { ...headers, [name]: value } };
        const verification = verify(stripped);
        await expect(verification).rejects.toMatchObject({ code: 'MISSING_HEADER' });
        await expect(verification).rejects.toThrow('which requireTimestamp asks for, is missing');
      }
    });

    test('refuses a captured delivery that passes on Service-Signature alone', async () => {
      const plain = aPlainDelivery();
      const renamed = { ...plain.headers, 'webhook-id': 'evt_forged' };
      const signature = plain.headers['service-signature'];
      for (const replay of [plain, { payload, headers: renamed }, { payload, signature }]) {
        expect(await verdict(verify({ ...replay, secret, now: 0 }))).toBe('accepted');
        const again = { ...replay, secret, now: 0, requireTimestamp: true };
        expect(await verdict(verify(again))).toBe('MISSING_HEADER');
      }
    });

    test('refuses another id or time than the signed one, and one that is too old', async () => {
      for (const change of [{ 'webhook-id': 'evt_2' }, { 'webhook-timestamp': '1' }]) {
        const forged = { ...required, headers: { ...headers, ...change } };
        expect(await verdict(verify(forged))).toBe('SIGNATURE_MISMATCH');
      }
      const late = { ...required, now: sentAt + 301_000 };
      expect(await verdict(verify(late))).toBe('TIMESTAMP_TOO_OLD');
    });

    test('still asks for Service-Signature first', async () => {
      const others = { ...headers, 'service-signature': '' };
      expect(await verdict(verify({ ...required, headers: others }))).toBe('MISSING_SIGNATURE');
    });
  });

  describe('refuses a configuration that cannot be right', () => {
    test.each<[string, object, string]>([
      ['no secret', {}, 'the one that the registration answered with'],
      ['an undefined secret', { secret: undefined }, 'secret is missing or empty'],
      ['an empty secret', { secret: '' }, 'secret is missing or empty'],
      ['a blank secret', { secret: ' \n' }, 'secret is missing or empty'],
      ['an empty list of secrets', { secrets: [] }, 'secret is missing or empty'],
      ['a list with an empty secret', { secrets: [secret, ''] }, 'secret is missing or empty'],
      ['a list with a hole', { secrets: [secret, undefined] }, 'secret is missing or empty'],
      ['a tolerance of 0', { secret, tolerance: 0 }, 'tolerance must be a positive number'],
      ['a negative tolerance', { secret, tolerance: -5 }, 'tolerance must be a positive number'],
      ['an endless tolerance', { secret, tolerance: Number.POSITIVE_INFINITY }, 'tolerance'],
      ['a tolerance that is NaN', { secret, tolerance: Number.NaN }, 'tolerance'],
      ['a time that is none', { secret, now: new Date('never') }, 'now must be'],
    ])('%s', async (_name, options, message) => {
      const verification = verify({ ...aDelivery(), ...options });
      await expect(verification).rejects.toThrow(message);
      await expect(verification).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
    });
  });

  describe('names the fix when the body is not raw', () => {
    test.each<[string, unknown]>([
      ['a parsed object', anEvent],
      ['a parsed list', [1]],
      ['undefined, as Express has it without a parser', undefined],
      ['null', null],
      ['a number', 5],
    ])('%s', async (_name, payload) => {
      const { headers } = aDelivery();
      const verification = verify({ payload: payload as string, headers, secret });
      await expect(verification).rejects.toMatchObject({ code: 'BODY_PARSED' });
      await expect(verification).rejects.toThrow("express.raw({ type: 'application/json' })");
    });
  });

  describe('reads only a whole envelope', () => {
    const { createdAt, data } = anEvent;
    const event = 'order.created';

    test.each<[string, string, string, string]>([
      ['nothing', '', 'MALFORMED_BODY', 'JSON'],
      ['no JSON', '<xml/>', 'MALFORMED_BODY', 'JSON'],
      ['a list', '[]', 'MALFORMED_BODY', 'JSON object'],
      ['null', 'null', 'MALFORMED_BODY', 'JSON object'],
      ['no event', JSON.stringify({ createdAt, data }), 'MISSING_EVENT', '"event"'],
      [
        'an event that is no text',
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
        'data that is null',
        JSON.stringify({ event, createdAt, data: null }),
        'MALFORMED_BODY',
        '"data"',
      ],
    ])('not one that is %s', async (_name, body, code, message) => {
      const verification = verify({ ...aDelivery({ body: Buffer.from(body) }), secret });
      await expect(verification).rejects.toMatchObject({ code });
      await expect(verification).rejects.toThrow(message);
    });

    test('and says that the field is called event when the body has type', async () => {
      const body = { type: event, createdAt, data };
      const verification = verify({ ...aDelivery({ body }), secret });
      await expect(verification).rejects.toMatchObject({ code: 'MISSING_EVENT' });
      await expect(verification).rejects.toThrow(
        'it has "type", but this service names the kind in "event"',
      );
    });
  });

  test('refuses with an error that has a name, a code and a message', async () => {
    const error = await verify({ ...aDelivery(), secret: otherSecret }).catch((caught) => caught);
    expect(error).toBeInstanceOf(WebhookVerificationError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('WebhookVerificationError');
    expect(error.message).not.toContain(otherSecret);
  });
});
