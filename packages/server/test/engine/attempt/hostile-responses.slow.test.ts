import { aLeasedDelivery } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anyHostileResponse,
  type HostileResponse,
  sendHostileResponse,
} from '../../../../../test/helpers/hostile-response';
import { respond } from '../../helpers/receiver';
import { DeliveryHarness } from '../delivery-harness';
import { openRawResponses, openRawServer } from './raw-server';
import { openSender } from './sender-harness';

/** The timeout of an attempt in milliseconds: short, because a receiver hangs in most rounds. */
const timeout = 100;

/** How many hostile receivers get each event, besides a healthy one. */
const atOnce = 12;

// A receiver that hangs takes time, so it is drawn less often.
const anyBehaviour = anyHostileResponse('end', 'end', 'end', 'reset', 'reset', 'hang');

/** A server on which each path behaves as configured. */
async function openHostile(behaviours: HostileResponse[]): Promise<{ url: string }> {
  return openRawServer((socket) => {
    socket.on('data', (request) => {
      const [, place] = /^POST \/(\d+) /.exec(request.toString('latin1')) ?? [];
      const behaviour = behaviours[Number(place)];
      if (behaviour === undefined || socket.destroyed) return;
      sendHostileResponse(socket, behaviour);
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
