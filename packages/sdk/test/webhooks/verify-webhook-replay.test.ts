import { describe, expect, test } from 'vitest';
import { aDelivery, anEvent, aPlainDelivery, secret, sentAt } from '../helpers/a-delivery';
import { verdict, verifiers } from '../helpers/verifiers';

describe.each(verifiers)('%s', (_, verify) => {
  describe('detects a replay by its signed timestamp', () => {
    const later = (seconds: number) => sentAt + seconds * 1_000;

    test.each([
      [0, 'accepted'],
      [300, 'accepted'],
      [301, 'TIMESTAMP_TOO_OLD'],
      [86_400, 'TIMESTAMP_TOO_OLD'],
      [-300, 'accepted'],
      [-301, 'TIMESTAMP_TOO_NEW'],
    ])('which, %i s after it was sent, makes it %s', async (seconds, code) => {
      expect(await verdict(verify({ ...aDelivery(), secret, now: later(seconds) }))).toBe(code);
    });

    test('within the tolerance of the options', async () => {
      const delivery = { ...aDelivery(), secret, tolerance: 10 };
      expect(await verdict(verify({ ...delivery, now: later(10) }))).toBe('accepted');
      expect(await verdict(verify({ ...delivery, now: later(11) }))).toBe('TIMESTAMP_TOO_OLD');
    });

    test('compared with a date, or with the clock when no time is given', async () => {
      const now = new Date(later(301));
      expect(await verdict(verify({ ...aDelivery(), secret, now }))).toBe('TIMESTAMP_TOO_OLD');
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const delivery = { ...aDelivery({ timestamp }), secret, now: undefined };
      expect(await verdict(verify(delivery))).toBe('accepted');
    });

    test('and trusts no timestamp that is not signed', async () => {
      const { payload, headers } = aDelivery();
      const fresh = { ...headers, 'webhook-timestamp': String(later(3_600) / 1_000) };
      const replay = { payload, headers: fresh, secret, now: later(3_600) };
      expect(await verdict(verify(replay))).toBe('SIGNATURE_MISMATCH');
    });
  });

  describe('with maxEventAge', () => {
    const happened = Date.parse(anEvent.createdAt);
    const plain = { ...aPlainDelivery(), secret, maxEventAge: 90_000 };

    test('rejects an older event, although its signature is valid', async () => {
      const later = (seconds: number) => verify({ ...plain, now: happened + seconds * 1_000 });
      expect(await verdict(later(90_000))).toBe('accepted');
      expect(await verdict(later(90_001))).toBe('EVENT_TOO_OLD');
      await expect(later(90_001)).rejects.toThrow(`The event is from ${anEvent.createdAt}`);
    });

    test('rejects an event with an invalid time, and an invalid limit', async () => {
      const timeless = aPlainDelivery({ body: { ...anEvent, createdAt: 'yesterday' } });
      expect(await verdict(verify({ ...plain, ...timeless }))).toBe('EVENT_TOO_OLD');
      expect(await verdict(verify({ ...plain, maxEventAge: Number.NaN }))).toBe(
        'INVALID_CONFIGURATION',
      );
    });
  });

  describe('with requireTimestamp', () => {
    const { payload, headers } = aDelivery();
    const required = { payload, headers, secret, requireTimestamp: true };
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

    test('accepts a delivery with both signatures', async () => {
      expect(await verify(required)).toEqual(anEvent);
    });

    test.each(names)('rejects a delivery without %s, or with an empty one', async (name) => {
      for (const value of [undefined, '']) {
        const stripped = { ...required, headers: { ...headers, [name]: value } };
        const verification = verify(stripped);
        await expect(verification).rejects.toMatchObject({ code: 'MISSING_HEADER' });
        await expect(verification).rejects.toThrow(`${name} is missing`);
        await expect(verification).rejects.toThrow('requireTimestamp requires it');
      }
    });

    test('rejects a captured delivery that has only Service-Signature', async () => {
      const plain = aPlainDelivery();
      const renamed = { ...plain.headers, 'webhook-id': 'evt_forged' };
      const signature = plain.headers['service-signature'];
      for (const replay of [plain, { payload, headers: renamed }, { payload, signature }]) {
        expect(await verdict(verify({ ...replay, secret, now: 0 }))).toBe('accepted');
        const again = { ...replay, secret, now: 0, requireTimestamp: true };
        expect(await verdict(verify(again))).toBe('MISSING_HEADER');
      }
    });

    test('rejects another ID or time than the signed one, and an old one', async () => {
      for (const change of [{ 'webhook-id': 'evt_2' }, { 'webhook-timestamp': '1' }]) {
        const forged = { ...required, headers: { ...headers, ...change } };
        expect(await verdict(verify(forged))).toBe('SIGNATURE_MISMATCH');
      }
      const late = { ...required, now: sentAt + 301_000 };
      expect(await verdict(verify(late))).toBe('TIMESTAMP_TOO_OLD');
    });

    test('still requires Service-Signature first', async () => {
      const others = { ...headers, 'service-signature': '' };
      expect(await verdict(verify({ ...required, headers: others }))).toBe('MISSING_SIGNATURE');
    });
  });
});
