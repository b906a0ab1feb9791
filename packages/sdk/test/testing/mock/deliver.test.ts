import { describe, expect, test } from 'vitest';
import { type MockTradepost, mockTradepost } from '../../../src/testing/index';
import { createMemoryDedupeStore, webhookReceiver } from '../../../src/webhooks/index';

/** Places orders whose events are due to a webhook. Returns the mock, and the secret of the webhook. */
async function placeOrders(count: number): Promise<MockTradepost & { secret: string }> {
  const mock = mockTradepost();
  const { client, addListing } = mock;
  const events = ['order.created' as const];
  const { secret = '' } = await client.webhooks.create({ url: 'https://receiver.example', events });
  const { id: listingId } = addListing();
  for (let quantity = 1; quantity <= count; quantity += 1) {
    await client.orders.create({ listingId, quantity });
  }
  return { ...mock, secret };
}

/** Delivers ten events, and returns their quantities in the order in which they arrived. */
async function getArrivals(options: Parameters<MockTradepost['deliver']>[1]): Promise<number[]> {
  const { deliver } = await placeOrders(10);
  const arrived: number[] = [];
  await deliver(async (request) => {
    const { data } = (await request.json()) as { data: { quantity: number } };
    arrived.push(data.quantity);
    return new Response();
  }, options);
  return arrived;
}

const inOrder = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const sorted = (numbers: number[]) => [...numbers].sort((one, other) => one - other);

describe('deliver', () => {
  test('sends deliveries in the order of their events, once, by default', async () => {
    expect(await getArrivals({})).toEqual(inOrder);
  });

  test('shuffles them, in the same way in each run, and in another way for each number', async () => {
    const orders = await Promise.all([true, true, 2, 3].map((shuffle) => getArrivals({ shuffle })));
    for (const arrived of orders) expect(sorted(arrived)).toEqual(inOrder);
    const [first, again, second, third] = orders.map(String);
    expect(again).toBe(first);
    expect(new Set([String(inOrder), first, second, third]).size).toBe(4);
  });

  test('sends copies of each, also between others', async () => {
    const arrived = await getArrivals({ shuffle: 7, copies: 3 });
    expect(sorted(arrived)).toEqual(inOrder.flatMap((quantity) => [quantity, quantity, quantity]));
    const isApart = (quantity: number) =>
      arrived.lastIndexOf(quantity) - arrived.indexOf(quantity) > 2;
    expect(inOrder.some(isApart)).toBe(true);
  });

  test('records the copies as attempts whose acknowledgements were lost', async () => {
    const { client, deliver } = await placeOrders(1);
    const [sent, ...others] = await deliver(() => new Response(), { copies: 3 });
    expect(others).toEqual([]);
    expect(sent).toMatchObject({ state: 'delivered', attemptCount: 3 });
    const { attempts } = await client.deliveries.get(sent?.id ?? '');
    expect(attempts.map(({ status, error }) => status ?? error)).toEqual([
      'connection_reset',
      'connection_reset',
      200,
    ]);
    expect(await deliver(() => new Response())).toEqual([]);
  });

  test('shows that a receiver with a dedupe store handles each delivery once', async () => {
    const { deliver, secret } = await placeOrders(5);
    const handled: number[] = [];
    const receiver = webhookReceiver({
      secret,
      dedupe: createMemoryDedupeStore(),
      on: { 'order.created': ({ data }) => void handled.push(data.quantity) },
    });
    await deliver(receiver.fetch, { shuffle: true, copies: 2 });
    expect(sorted(handled)).toEqual([1, 2, 3, 4, 5]);
  });

  test('sends a test event once', async () => {
    const { client, deliver } = await placeOrders(0);
    const [webhook] = (await client.webhooks.list()).data;
    await client.webhooks.test(webhook?.id ?? '', { event: 'order.created' });
    let received = 0;
    const receive = () => {
      received += 1;
      return new Response();
    };
    const [sent] = await deliver(receive, { copies: 2 });
    expect(received).toBe(1);
    expect(sent).toMatchObject({ state: 'delivered', attemptCount: 1 });
  });

  test.each([
    [{ copies: 0 }, 'copies must be an integer of at least 1 (got 0)'],
    [{ shuffle: 'yes' } as object, 'shuffle must be true, false or an integer (got yes)'],
    [{ shuffle: Number.NaN }, 'shuffle must be'],
    [{ shuffle: 0.5 }, 'shuffle must be'],
    [{ copy: 2 } as object, 'no option "copy"'],
  ])('rejects %j', async (options, message) => {
    const { deliver } = await placeOrders(1);
    await expect(deliver(() => new Response(), options)).rejects.toThrow(message);
  });
});
