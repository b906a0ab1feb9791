import { Tradepost } from '@tradepost/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { startServerProcess } from '../../helpers/start-server-process';
import { startExample } from './start-example';

describe('the script that follows an order', () => {
  let seeded: SeededServer;
  let listingId: string;

  beforeAll(async () => {
    seeded = await startSeededServer();
    listingId = seeded.seed.listings[0]?.id ?? '';
    return () => seeded.close();
  });

  function follow(
    args: string[],
    env: Record<string, string> = seeded.createEnvironment(seeded.buyer),
  ) {
    return forTest(startExample('follow-an-order/follow-an-order.ts', args, { env }));
  }

  const placedOrder = /^Order (ord_\w+) is created, as purchase (\S+)\./m;

  test('prints every change once, in order, and exits when the status is final', async () => {
    const script = follow([listingId, '2']);
    const [, id = ''] = await script.writes(placedOrder);
    const seller = new Tradepost({
      baseUrl: seeded.server.url,
      apiKey: seeded.seller.apiKey,
    });
    await script.writes(/it is pending\.$/m);
    await seller.orders.update(id, { status: 'confirmed' });
    await script.writes(/is now confirmed \(was pending\)\.$/m);
    // Whether one poll sees both or two polls one each, both are printed.
    await seller.orders.update(id, { status: 'fulfilling' });
    await seller.orders.update(id, { status: 'completed' });

    const { code, stdout, stderr } = await script.exit;
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const changes = [...stdout.matchAll(/^\S+Z {2}Order \S+ is now (\w+) /gm)].map(([, to]) => to);
    expect(changes).toEqual(['confirmed', 'fulfilling', 'completed']);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      'The order is completed. This status is final.',
    );
  });

  test('continues with the same order when it runs again for one purchase', async () => {
    const env = {
      ...seeded.createEnvironment(seeded.buyer),
      LISTING_ID: listingId,
      QUANTITY: '1',
      PURCHASE: 'PO-2026-17',
    };
    const first = follow([], env);
    const [, id = ''] = await first.writes(placedOrder);
    const { code, stdout } = await first.stop('SIGINT');
    expect(code).toBe(130);
    expect(stdout).toContain('Stopped following.');

    const second = follow([], env);
    const [, again, purchase] = await second.writes(placedOrder);
    expect([again, purchase]).toEqual([id, 'PO-2026-17']);
  });

  test('continues after a restart of the service', async () => {
    const own = await forTest(startSeededServer());
    const { url, database } = own.server;
    const script = follow([own.seed.listings[0]?.id ?? '', '1'], own.createEnvironment(own.buyer));
    const [, id = ''] = await script.writes(placedOrder);
    await own.server.stop();
    await script.writes(/The service does not respond\.\nRetrying\./, 'stderr');

    await forTest(startServerProcess(database, ['--port', new URL(url).port]));
    const seller = new Tradepost({ baseUrl: url, apiKey: own.seller.apiKey });
    await seller.orders.update(id, { status: 'cancelled' });
    const { code, stdout } = await script.exit;
    expect(code).toBe(0);
    expect(stdout).toContain('The order is cancelled. This status is final.');
  });

  test.for([
    [
      'a listing with too little left',
      '1000000',
      'buyer',
      /cannot be created: .* left, but 1000000 were requested/,
    ],
    ['an invalid quantity', 'many', 'buyer', /rejected the order: quantity /],
    ["a seller's key", '1', 'seller', /cannot create orders\. Use the key of a buyer/],
  ] as const)('explains the problem with %s', async ([, quantity, kind, message]) => {
    const script = follow([listingId, quantity], seeded.createEnvironment(seeded[kind]));
    const { code, stderr } = await script.exit;
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });

  test('explains the problem with an unknown key', async () => {
    const env = { ...seeded.createEnvironment(seeded.buyer), TRADEPOST_API_KEY: 'tpk_unknown' };
    const { code, stderr } = await follow([listingId, '1'], env).exit;
    expect(code).toBe(1);
    expect(stderr).toContain('Check TRADEPOST_API_KEY');
  });
});
