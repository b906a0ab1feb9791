import { describe, expect, test } from 'vitest';
import { allEventTypes } from '../../src/webhooks/index';
import {
  aDelivery,
  anEvent,
  aPlainDelivery,
  secret,
  sentAt,
  serviceSignature,
  standardSignature,
} from '../helpers/a-delivery';
import { verdict, verifiers } from '../helpers/verifiers';

const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

describe.each(verifiers)('%s', (_, verify) => {
  describe('accepts a delivery', () => {
    test('and returns its event, discriminated by event', async () => {
      const event = await verify({ ...aDelivery(), secret });
      expect(event).toEqual(anEvent);
      if (event.event === 'order.status_changed') expect(event.data.status).toBe('fulfilling');
    });

    test.each(allEventTypes)('of type %s', async (event) => {
      const body = { event, createdAt: anEvent.createdAt, data: {} };
      expect((await verify({ ...aDelivery({ body }), secret })).event).toBe(event);
    });

    test('with an unknown event type', async () => {
      const body = { event: 'order.exploded', createdAt: anEvent.createdAt, data: {}, more: 1 };
      expect(await verify({ ...aDelivery({ body }), secret })).toEqual(body);
    });

    test('from a service without extensions, by its signature only', async () => {
      expect(await verify({ ...aPlainDelivery(), secret, now: 0 })).toEqual(anEvent);
    });

    test('by its signature alone, when the headers are not available', async () => {
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

    test('whose headers are Headers, a record in any case, or have lists', async () => {
      const { payload, headers } = aDelivery();
      const shouted = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
      const listed = Object.entries(headers).map(([name, value]) => [name, [value]]);
      for (const form of [
        new Headers(headers),
        new Map(Object.entries(headers)),
        new Map(listed as [string, string[]][]) as unknown as Headers,
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

    test('with one secret in the place of a list, as untyped programs pass it', async () => {
      const secrets = secret as unknown as string[];
      expect(await verify({ ...aDelivery(), secrets })).toEqual(anEvent);
      const letter = aPlainDelivery({ key: secret.slice(0, 1) });
      expect(await verdict(verify({ ...letter, secrets }))).toBe('SIGNATURE_MISMATCH');
      expect(await verdict(verify({ ...letter, secret: otherSecret, secrets }))).toBe(
        'SIGNATURE_MISMATCH',
      );
    });

    test('with a list in the place of one secret, likewise', async () => {
      const list = [otherSecret, secret] as unknown as string;
      expect(await verify({ ...aDelivery(), secret: list })).toEqual(anEvent);
      const both = { secret: list, secrets: [`whsec_${btoa('a third')}`] };
      expect(await verify({ ...aDelivery(), ...both })).toEqual(anEvent);
    });

    test('whose secret lost its padding, in every runtime', async () => {
      const key = secret.replace(/=+$/, '');
      const { payload, headers } = aDelivery({ key });
      expect(await verify({ payload, headers, secret: key, requireTimestamp: true })).toEqual(
        anEvent,
      );
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

  describe('rejects a delivery', () => {
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
      ['with an empty text beside the secret', { secrets: '' }, 'INVALID_CONFIGURATION'],
      ['with no text beside the secret', { secrets: false }, 'INVALID_CONFIGURATION'],
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
        'MISSING_HEADER',
      ],
      [
        'webhook-signature without a timestamp',
        { 'webhook-timestamp': undefined },
        'MISSING_HEADER',
      ],
      ['webhook-signature without an id', { 'webhook-id': undefined }, 'MISSING_HEADER'],
      ['a timestamp that is not a number', { 'webhook-timestamp': 'now' }, 'MALFORMED_TIMESTAMP'],
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
        'SIGNATURE_MISMATCH',
      ],
    ])('with %s', async (_name, changes, code) => {
      const changed = { ...headers, ...changes };
      expect(await verdict(verify({ payload, headers: changed, secret }))).toBe(code);
    });

    test('whose webhook-signature encodes the right bytes in another way', async () => {
      const last = headers['webhook-signature']?.at(-2) ?? '';
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
      const twin = alphabet[alphabet.indexOf(last) + 1] ?? '';
      const respelt = headers['webhook-signature']?.replace(/.=$/, `${twin}=`);
      expect(Buffer.from(respelt?.slice(3) ?? '', 'base64')).toEqual(
        Buffer.from(headers['webhook-signature']?.slice(3) ?? '', 'base64'),
      );
      const changed = { ...headers, 'webhook-signature': respelt };
      expect(await verdict(verify({ payload, headers: changed, secret }))).toBe(
        'SIGNATURE_MISMATCH',
      );
    });

    test('whose valid webhook-signature follows too many others', async () => {
      const many = `${`v1,${'A'.repeat(44)} `.repeat(8)}${headers['webhook-signature']}`;
      const changed = { ...headers, 'webhook-signature': many };
      expect(await verdict(verify({ payload, headers: changed, secret }))).toBe(
        'SIGNATURE_MISMATCH',
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

    test('with a signed timestamp, when the secret has no bytes after whsec_', async () => {
      const key = 'whsec_=';
      const signed = { ...headers, 'service-signature': serviceSignature(payload, key) };
      expect(await verdict(verify({ payload, headers: signed, secret: key }))).toBe(
        'SIGNATURE_MISMATCH',
      );
    });
  });
});
