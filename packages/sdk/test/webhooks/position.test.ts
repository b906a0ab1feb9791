import { createHmac } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { signDelivery } from '../../src/testing/index';
import {
  type VerifyWebhookSyncOptions,
  verifyDelivery,
  verifyDeliverySync,
} from '../../src/webhooks/index';
import { aDelivery, anEvent, secret, sentAt } from '../helpers/a-delivery';

const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const now = sentAt;

/** A delivery with a position that is signed by hand. */
function aPositionedDelivery(position: string, { key = secret, id = 'evt_1' } = {}) {
  const { payload, headers } = aDelivery({ id });
  const message = Buffer.concat([Buffer.from(`${id}.${now / 1_000}.${position}.`), payload]);
  const signature = createHmac('sha256', key).update(message).digest('hex');
  return {
    payload,
    headers: {
      ...headers,
      'tradepost-position': position,
      'tradepost-position-signature': signature,
    } as Record<string, string>,
  };
}

type Input = Pick<VerifyWebhookSyncOptions, 'payload' | 'headers'> & { secrets?: string[] };

function withDefaults({ secrets = [secret], ...input }: Input): VerifyWebhookSyncOptions {
  return { ...input, secrets, now };
}

describe.each([
  ['verifyDelivery', (input: Input) => verifyDelivery(withDefaults(input))],
  ['verifyDeliverySync', async (input: Input) => verifyDeliverySync(withDefaults(input))],
  [
    'verifyDelivery with WebCrypto',
    (input: Input) => {
      const getBuiltinModule = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
      return verifyDelivery(withDefaults(input)).finally(() => getBuiltinModule.mockRestore());
    },
  ],
])('the position of a delivery, by %s,', (_, verify) => {
  test.each([
    ['sequence=1838339481600000, orderVersion=4', 1_838_339_481_600_000, 4],
    ['sequence=7', 7, null],
    ['sequence=7, orderVersion=1, tomorrow=x1', 7, 1],
    ['sequence=7, tomorrow=x1', 7, null],
    // Signed, in a form that this version does not know.
    ['sequence=x', null, null],
    ['orderVersion=4, sequence=7', null, null],
    ['sequence=7,orderVersion=4', null, null],
    ['sequence=07', null, null],
    ['sequence=7, orderVersion=-4', null, null],
    ['sequence=7; orderVersion=4', null, null],
  ])('is read from %s', async (position, sequence, orderVersion) => {
    const delivery = await verify(aPositionedDelivery(position));
    expect(delivery).toMatchObject({ sequence, orderVersion });
  });

  test('is rejected when it was changed, added or taken from another delivery', async () => {
    const { payload, headers } = aPositionedDelivery('sequence=7, orderVersion=4');
    const { 'tradepost-position-signature': _signature, ...unsigned } = headers;
    const forged = [
      { ...headers, 'tradepost-position': 'sequence=7, orderVersion=5' },
      { ...headers, 'tradepost-position': 'sequence=7' },
      { ...headers, 'tradepost-position-signature': '' },
      { ...headers, 'tradepost-position-signature': 'x'.repeat(64) },
      { ...headers, 'tradepost-position-signature': headers['service-signature'] ?? '' },
      unsigned,
      { ...aPositionedDelivery('sequence=8', { id: 'evt_2' }).headers, ...aDelivery().headers },
      aPositionedDelivery('sequence=7', { key: otherSecret }).headers,
    ];
    for (const one of forged) {
      await expect(verify({ payload, headers: one })).rejects.toMatchObject({
        code: 'SIGNATURE_MISMATCH',
        message: expect.stringContaining('Tradepost-Position-Signature does not'),
      });
    }
  });

  test('is null when both headers were left out, or nothing signs the ID and the time', async () => {
    const none = { sequence: null, orderVersion: null };
    const { payload, headers } = aPositionedDelivery('sequence=7, orderVersion=4');
    expect(await verify(aDelivery())).toMatchObject(none);
    const { 'service-signature': signature } = headers;
    const captured = {
      'service-signature': signature,
      'webhook-id': 'evt_1',
      'tradepost-position': headers['tradepost-position'],
      'tradepost-position-signature': headers['tradepost-position-signature'],
    };
    expect(await verify({ payload, headers: captured })).toMatchObject(none);
  });

  test('is read while a secret is staged, by a receiver that has one or both', async () => {
    const own = aPositionedDelivery('sequence=7');
    const staged = aPositionedDelivery('sequence=7', { key: otherSecret });
    const signatures = [staged, own].map((one) => one.headers['tradepost-position-signature']);
    const headers = { ...own.headers, 'tradepost-position-signature': signatures.join(' ') };
    const { payload } = own;
    for (const secrets of [[secret], [otherSecret, secret]]) {
      expect(await verify({ payload, headers, secrets })).toMatchObject({ sequence: 7 });
    }
  });
});

test('signDelivery signs a position', async () => {
  const position = { sequence: 12, orderVersion: 3 };
  const { body, headers } = await signDelivery({ event: anEvent, secret, sentAt, position });
  expect(headers).toMatchObject({ 'Tradepost-Position': 'sequence=12, orderVersion=3' });
  expect(await verifyDelivery({ payload: body, headers, secret, now })).toMatchObject(position);
  const without = await signDelivery({
    event: anEvent,
    secret,
    sentAt,
    position: { sequence: 12 },
  });
  expect(without.headers['Tradepost-Position']).toBe('sequence=12');
  const plain = await signDelivery({ event: anEvent, secret, position, standard: false });
  expect(Object.keys(plain.headers)).toEqual(['Content-Type', 'Service-Signature']);
});
