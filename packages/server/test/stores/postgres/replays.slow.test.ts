import { replayDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import { aContext } from '@tradepost/domain/test/builders';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { enqueueDelivery } from '../../helpers/enqueue';
import { ReusedDatabases, startPostgres } from '../../helpers/postgres';
import { Trade } from '../../helpers/trade';

const postgres = await startPostgres();
const databases = new ReusedDatabases(postgres);
afterAll(postgres.stop);

test('40 bulk replays of one account that wait for their queue use one connection, so that others are served', async () => {
  const { url, remove } = await databases.take();
  onTestFinished(remove);
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  const trade = await Trade.open(store);
  const { accountId } = trade.buyer;
  const { id: webhookId } = await trade.subscribe(trade.buyer, ['order.created']);
  await enqueueDelivery(trade, { accountId, count: 500 });
  const page = { after: null, limit: 500 };
  const found = await store.deliveryLog.listDeliveries(accountId, { webhookId }, page);
  const request = {
    accountId,
    ids: found.map(({ id }) => id),
    idempotencyKey: null,
    context: aContext(),
  };

  const locker = new pg.Client({ connectionString: url });
  await locker.connect();
  onTestFinished(() => locker.end());
  await locker.query('BEGIN');
  await locker.query('SELECT 1 FROM queues WHERE webhook_id = $1 FOR UPDATE', [webhookId]);
  const requests = Array.from({ length: 40 }, () =>
    store.deliveryLog.replayDeliveries(request, (deliveries) => ({
      deliveries: deliveries.map((one) => replayDelivery(one, request.context.now)),
      response: { status: 202, headers: {}, body: null },
    })),
  );
  const replays = Promise.allSettled(requests);
  // Those that write together send their first statements in one turn.
  await new Promise((turn) => setImmediate(turn));
  const { inUse, waiting } = store.getConnectionStatus?.() ?? {};
  const orders = await store.orders.listOrders(trade.seller, {}, { after: null, limit: 10 });
  await locker.query('COMMIT');
  expect({ inUse, waiting }).toEqual({ inUse: 1, waiting: 0 });
  expect(orders).toHaveLength(1);
  expect((await replays).filter(({ status }) => status === 'rejected')).toEqual([]);
});
