import { expect, onTestFinished, test } from 'vitest';
import type { CheckResult } from '../../src/stores/check-report';
import type { RuleGroup } from '../../src/stores/data-rules';
import type { Store } from '../../src/stores/store';
import { Trade } from '../helpers/trade';

/** A way to break a rule. */
export type Damage = [check: string, problem: string, sql: string];

/** A database of a store, filled by `fillStore`, of which each test gets a copy. */
export interface CheckedDatabase {
  ruleGroups: RuleGroup[];
  /** Ways to break the rules that only this store has. */
  ownDamages: Damage[];
  /** Changes the data as a program without the rules of the schema would. */
  damage(sql: string): Promise<void> | void;
  /** Returns the checks that found a problem or did not run. */
  findProblems(): Promise<CheckResult[]>;
  open(): Promise<Store> | Store;
}

/** One way to break each rule. */
const sharedDamages: Damage[] = [
  [
    'accounts',
    'listings whose seller_id is an account of another kind',
    `UPDATE accounts SET kind = 'agent' WHERE kind = 'seller'`,
  ],
  [
    'accounts',
    'listings whose agent_id is an account of another kind',
    `UPDATE accounts SET kind = 'seller' WHERE kind = 'agent'`,
  ],
  [
    'accounts',
    'orders whose agent_id is an account of another kind',
    `UPDATE accounts SET kind = 'seller' WHERE kind = 'agent'`,
  ],
  [
    'accounts',
    'orders whose buyer_id is an account of another kind',
    `UPDATE accounts SET kind = 'agent' WHERE kind = 'buyer'`,
  ],
  [
    'accounts',
    'accounts with a limit out of its bounds',
    'UPDATE accounts SET max_open_deliveries = 0',
  ],
  [
    'accounts',
    'accounts with a retention out of its bounds',
    'UPDATE accounts SET keep_deliveries = 1',
  ],
  [
    'accounts',
    'accounts that keep unread notifications for less time than read ones',
    'UPDATE accounts SET keep_unread_notifications = 10',
  ],
  [
    'keys',
    'sessions whose key is missing, of another account, or a session itself',
    'UPDATE api_keys SET session = TRUE, parent_id = id, expires_at = 1',
  ],
  [
    'keys',
    'sessions without an end, or that outlive their key',
    'UPDATE api_keys SET session = TRUE, parent_id = id',
  ],
  [
    'stock',
    'listings with a negative available quantity',
    'UPDATE listings SET available_quantity = -1',
  ],
  [
    'stock',
    'listings with more or fewer units than were supplied and not ordered',
    "UPDATE orders SET quantity = quantity + 1 WHERE status <> 'cancelled'",
  ],
  [
    'stock',
    'listings whose low-stock mark contradicts their quantity and threshold',
    'UPDATE listings SET low_stock_notified = NOT low_stock_notified, available_quantity = CASE WHEN low_stock_notified THEN 0 ELSE 100 END',
  ],
  [
    'orders',
    'orders with an unknown status',
    `UPDATE orders SET status = 'lost' WHERE status = 'completed'`,
  ],
  ['orders', 'orders whose version does not fit their status', 'UPDATE orders SET version = 9'],
  ['orders', 'orders without units', 'UPDATE orders SET quantity = 0'],
  [
    'orders',
    'orders of another seller than their listing',
    'UPDATE orders SET seller_id = buyer_id',
  ],
  [
    'orders',
    'orders changed before they were created',
    'UPDATE orders SET updated_at = created_at - 1',
  ],
  ['partners', 'missing partners of accounts that have an order together', 'DELETE FROM partners'],
  [
    'partners',
    'partners without an order together',
    'INSERT INTO partners SELECT account_id, account_id FROM partners GROUP BY account_id',
  ],
  ['tasks', 'orders with an agent and without a task', 'DELETE FROM tasks'],
  ['tasks', 'tasks of another agent than their order', 'UPDATE orders SET agent_id = NULL'],
  [
    'tasks',
    'tasks that are open though their order is not pending, or the reverse',
    'UPDATE tasks SET completed_at = NULL',
  ],
  [
    'events',
    'event log entries without an event',
    `UPDATE account_events SET event_id = event_id || '_none'`,
  ],
  [
    'events',
    'event log entries without an account',
    `UPDATE account_events SET account_id = account_id || '_none'`,
  ],
  ['events', 'events whose body is not JSON', `UPDATE events SET body = '{'`],
  [
    'events',
    'events with a version that their order has not reached',
    'UPDATE events SET order_version = 9',
  ],
  [
    'events',
    'notifications of another type, order or time than their event',
    `UPDATE notifications SET type = 'task_completed'`,
  ],
  [
    'events',
    'events of a disabled webhook that several accounts got',
    `UPDATE events SET event_type = 'webhook.disabled'`,
  ],
  [
    'events',
    'notifications that another account got than their event',
    `UPDATE notifications SET account_id = 'usr_none'`,
  ],
  [
    'events',
    'deliveries of another type or time than their event',
    'UPDATE deliveries SET test = TRUE',
  ],
  ['webhooks', 'webhooks without a queue', 'DELETE FROM queues'],
  [
    'webhooks',
    'webhooks without a subscription, or deleted ones with one',
    'DELETE FROM webhook_events',
  ],
  [
    'webhooks',
    'subscriptions of another account than their webhook',
    `UPDATE webhook_events SET account_id = 'usr_none'`,
  ],
  [
    'webhooks',
    'webhooks with an unknown status',
    `UPDATE webhooks SET status = 'gone' WHERE status = 'active'`,
  ],
  [
    'webhooks',
    'webhooks without a secret',
    `UPDATE webhooks SET secret = '' WHERE deleted_at IS NULL`,
  ],
  [
    'webhooks',
    'deleted webhooks whose secret is still stored',
    `UPDATE webhooks SET secret = 'whsec_1' WHERE deleted_at IS NOT NULL`,
  ],
  [
    'webhooks',
    'stored responses that show a deleted webhook',
    `INSERT INTO idempotency_keys SELECT account_id, 'createWebhook', 'key', 'f', '{}', 1, id FROM webhooks WHERE deleted_at IS NOT NULL`,
  ],
  [
    'deliveries',
    'deliveries with an unknown state',
    `UPDATE deliveries SET state = 'lost' WHERE state = 'delivered'`,
  ],
  ['deliveries', 'deliveries with missing or surplus attempts', 'DELETE FROM attempts'],
  [
    'statistics',
    'hours of statistics with fewer deliveries or attempts than their minutes',
    'UPDATE webhook_stats SET delivered = delivered + 1 WHERE width = 60000',
  ],
  ['queues', 'queues with a wrong depth', 'UPDATE queues SET depth = depth + 1'],
  ['queues', 'queues with a wrong number in flight', 'UPDATE queues SET in_flight = in_flight + 1'],
  [
    'queues',
    'queues that are held though their webhook is not paused nor its account suspended, or the reverse',
    'UPDATE queues SET paused = NOT paused',
  ],
  [
    'queues',
    'queues that nothing polls, or too late',
    'UPDATE queues SET concurrency_limit = 32, next_at = NULL',
  ],
  [
    'queues',
    'queues that nothing polls, or too late',
    'UPDATE queues SET concurrency_limit = 32, next_at = 9000000000000000',
  ],
  [
    'queues',
    'queues that are polled though nothing may be leased',
    'UPDATE queues SET next_at = 1 WHERE paused',
  ],
];

/** Tests what the checks of all stores find. */
export function describeChecks(database: CheckedDatabase): void {
  const { ruleGroups, ownDamages, damage, findProblems, open } = database;
  const damages = [...sharedDamages, ...ownDamages];

  test.each(damages)('finds in %s: %s (%s)', async (check, problem, sql) => {
    await damage(sql);
    const found = await findProblems();
    const { problems } = found.find(({ name }) => name === check) ?? { problems: [] };
    const match = problems.find((one) => one.problem === problem);
    expect(match).toMatchObject({ examples: expect.arrayContaining([expect.any(String)]) });
    expect(match?.count).toBeGreaterThan(0);
  });

  test('has a test of each rule', () => {
    const tested = new Set(damages.map(([, problem]) => problem));
    expect(tested).toEqual(
      new Set(ruleGroups.flatMap(({ rules }) => rules.map(({ problem }) => problem))),
    );
  });

  test('says which counter of which queue is wrong', async () => {
    await damage(
      'UPDATE queues SET depth = 70 WHERE webhook_id = (SELECT max(webhook_id) FROM queues)',
    );
    const [{ problems }] = (await findProblems()) as [CheckResult];
    expect(problems).toEqual([
      {
        problem: 'queues with a wrong depth',
        count: 1,
        examples: [expect.stringMatching(/^whk_\w+ has depth 70, not \d+$/)],
      },
    ]);
  });

  test('counts all rows with a problem and names five of them', async () => {
    const store = await open();
    const accounts = await store.accounts.listAccounts();
    const lists = accounts.map(({ id }) =>
      store.notifications.listNotifications(id, {}, { after: null, limit: 100 }),
    );
    const notifications = (await Promise.all(lists)).flat();
    await store.close();
    await damage("UPDATE notifications SET account_id = 'usr_none'");
    const references = (await findProblems()).find(({ name }) => name === 'references');
    expect(references?.problems).toEqual([
      {
        problem: 'rows of notifications whose account_id leads nowhere',
        count: notifications.length,
        examples: Array.from({ length: 5 }, () => 'usr_none'),
      },
    ]);
  });

  test('checks one state while a store commits', async () => {
    const store = await open();
    onTestFinished(() => store.close());
    const trade = await Trade.open(store);
    await trade.subscribe(trade.buyer, ['order.created']);
    const orders = Array.from({ length: 50 }, () => trade.place());
    expect(await findProblems()).toEqual([]);
    await Promise.all(orders);
    expect(await findProblems()).toEqual([]);
  });
}
