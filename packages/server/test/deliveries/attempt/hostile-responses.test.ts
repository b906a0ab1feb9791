import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aLeasedDelivery } from '../../helpers/builders';
import { respond } from '../../helpers/receiver';
import { DeliveryHarness } from '../delivery-harness';
import { openRawResponses, openRawServer } from './raw-server';
import { openSender } from './sender-harness';

/** The timeout of an attempt in milliseconds: short, because a receiver hangs in most rounds. */
const timeout = 100;

/** How many hostile receivers get each event, besides a healthy one. */
const atOnce = 12;

/** What a hostile receiver does with one request. */
interface Behaviour {
  /** The bytes of its response, in the pieces in which they are written. */
  pieces: Buffer[];
  /** What it does after the response. */
  ending: 'end' | 'reset' | 'hang';
}

const anyToken = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_.!#$%&*+^|~'),
  minLength: 1,
  maxLength: 20,
});
/** As a character of Latin-1, in which responses are written. */
const anyByte = fc.nat(255).map((code) => String.fromCharCode(code));
const names = [
  ...['Retry-After', 'retry-after', 'RETRY-AFTER', 'Content-Length', 'Transfer-Encoding'],
  ...['Connection', 'Keep-Alive', 'Upgrade', 'Trailer', 'Set-Cookie', 'Date', 'Location'],
  ...['Content-Type', 'Content-Encoding', '__proto__', 'constructor', 'hasOwnProperty'],
];
const values = [
  ...['0', '5', '-1', '1e9', '9'.repeat(30), 'chunked', 'gzip, chunked', 'close', 'keep-alive'],
  ...['timeout=0', 'h2c', 'Sun, 06 Nov 1994 08:49:37 GMT', 'soon', '', ' ', '\t5\t', '5, 5', '"'],
];
const anyHeader = fc
  .tuple(
    fc.oneof(fc.constantFrom(...names), anyToken),
    fc.oneof(fc.constantFrom(...values), fc.string({ unit: anyByte, maxLength: 40 })),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([name, value, times]) => `${name}: ${value.replaceAll(/[\r\n]/g, ' ')}\r\n`.repeat(times));
const anyHead = fc
  .tuple(
    fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/1.1'),
    fc.constantFrom(100, 102, 103, 200, 204, 301, 304, 400, 429, 500, 503, 599),
    fc.array(anyHeader, { maxLength: 6 }),
  )
  .map(([version, status, headers]) => `${version} ${status} Word\r\n${headers.join('')}\r\n`);
const anyBody = fc.oneof(
  fc.constantFrom('', '0\r\n\r\n', '5\r\nhello\r\n0\r\n\r\n', 'x'.repeat(20_000)),
  fc.string({ unit: anyByte, maxLength: 200 }),
);
const anyBehaviour: fc.Arbitrary<Behaviour> = fc
  .record({
    heads: fc.array(anyHead, { minLength: 1, maxLength: 2 }),
    body: anyBody,
    /** The fraction of the response that is sent; mostly all of it. */
    kept: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
    // A receiver that hangs takes time, so it is drawn less often.
    ending: fc.constantFrom<Behaviour['ending']>('end', 'end', 'end', 'reset', 'reset', 'hang'),
  })
  .map(({ heads, body, kept, cuts, ending }) => {
    const whole = Buffer.from(heads.join('') + body, 'latin1');
    const bytes = whole.subarray(0, Math.round(whole.length * kept));
    const places = cuts.map((cut) => Math.round(cut * bytes.length)).sort((a, b) => a - b);
    const edges = [0, ...places, bytes.length];
    const pieces = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
    return { pieces, ending };
  });

/** A server on which each path behaves as configured. */
async function openHostile(behaviours: Behaviour[]): Promise<{ url: string }> {
  return openRawServer((socket) => {
    socket.on('data', (request) => {
      const [, place] = /^POST \/(\d+) /.exec(request.toString('latin1')) ?? [];
      const behaviour = behaviours[Number(place)];
      if (behaviour === undefined || socket.destroyed) return;
      const { pieces, ending } = behaviour;
      const next = (index: number): void => {
        const piece = pieces[index];
        if (piece !== undefined) {
          // In its own turn, so that the other side may read it separately.
          socket.write(piece, () => setImmediate(next, index + 1));
        } else if (ending === 'end') socket.end();
        else if (ending === 'reset') socket.resetAndDestroy();
      };
      next(0);
    });
  });
}

describe('for any response of a receiver', () => {
  test('the engine records one outcome of each attempt, frees its slot, and delivers to others', async () => {
    const harness = await DeliveryHarness.open();
    // Exactly as many slots as a round needs: one that is not freed would block the next round.
    const worker = harness.start({ timeout, maxAttempts: atOnce + 1 });
    const { receiver } = await harness.receiver(respond(204));
    let rounds = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyBehaviour, { minLength: atOnce, maxLength: atOnce }),
        async (behaviours) => {
          const { url } = await openHostile(behaviours);
          const { buyer } = harness.trade;
          const webhooks = await Promise.all(
            behaviours.map((_, place) =>
              harness.trade.subscribe(buyer, ['order.created'], { url: `${url}${place}` }),
            ),
          );
          await harness.place();
          rounds += 1;
          await receiver.next();
          const attempts = [];
          for (let count = 0; count <= behaviours.length; count += 1) {
            attempts.push(await harness.recorded());
          }
          expect(new Set(attempts.map(({ deliveryId }) => deliveryId)).size).toBe(attempts.length);
          for (const { status, error } of attempts) {
            expect(status === null || Number.isInteger(status)).toBe(true);
            expect(status === null && error === null).toBe(false);
            expect(error ?? '').not.toMatch(/^unexpected/);
          }
          const { inFlight } = await harness.store.deliveries.queueStatus(harness.clock.now());
          expect(inFlight).toBe(0);
          const removed = webhooks.map(({ id }) =>
            harness.store.webhooks.deleteWebhook(buyer.accountId, id, harness.clock.now()),
          );
          expect(await Promise.all(removed)).not.toContain(false);
        },
      ),
      { numRuns: 40 },
    );
    expect(receiver.count).toBe(rounds);
    await harness.stop(worker);
  }, 120_000);

  test.each([
    ['whole', false, 'Content-Length: 2\r\n\r\nno'],
    ['truncated', true, 'Content-Length: 20\r\n\r\nno'],
  ])(
    'the longer of two Retry-After headers counts, in a response that is %s',
    async (_, end, rest) => {
      const head =
        'HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nRetry-After: 90\r\nRetry-After: soon\r\n';
      const { url } = await openRawResponses(`${head}${rest}`, end);
      const attempt = await openSender().send(aLeasedDelivery({ url }));
      expect(attempt).toMatchObject({ status: 503, responseSnippet: 'no', retryAfter: 90_000 });
    },
  );
});

describe('an error in a delivery', () => {
  test.each([
    ['an invalid URL', { url: 'not a url' }, 'unexpected (ERR_INVALID_URL)'],
    [
      'a missing secret',
      { secret: null as unknown as string },
      'unexpected (ERR_INVALID_ARG_TYPE)',
    ],
  ])('such as %s becomes a result, and the sender continues', async (_, wrong, error) => {
    const sender = openSender();
    expect(await sender.send(aLeasedDelivery(wrong))).toMatchObject({ status: null, error });
    const { url } = await openRawResponses('HTTP/1.1 204 No Content\r\n\r\n');
    expect(await sender.send(aLeasedDelivery({ url }))).toMatchObject({ status: 204 });
  });
});
