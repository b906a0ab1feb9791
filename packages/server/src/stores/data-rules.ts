import { orderStatuses } from '@tradepost/contract/wire';
import type { SettingBounds } from '@tradepost/domain/accounts/account-settings';
import { limitBounds } from '@tradepost/domain/accounts/limits';
import { retentionBounds } from '@tradepost/domain/accounts/retention';
import { maxStoredAttempts } from '@tradepost/domain/deliveries/delivery';
import { storedBuckets } from '@tradepost/domain/webhooks/stats-counts';

/** A rule that the data must satisfy. */
export interface DataRule {
  /** What is wrong with a row that breaks it; follows the number of rows. */
  problem: string;
  /** Selects what breaks it: one column that names the row. `@latest` is the latest end of a backoff that starts now. */
  sql: string;
}

/** Rules about one subject. */
export interface RuleGroup {
  name: string;
  /** What holds if no rule is broken. */
  description: string;
  rules: DataRule[];
}

/** The rules about references, which each store derives from its schema. */
export const references = { name: 'references', description: 'every reference leads to a row' };

/** Returns what is wrong with rows that refer to a row that does not exist. */
export function describeBrokenReference(table: string, column: string): string {
  return `rows of ${table} whose ${column} leads nowhere`;
}

/** What differs between the databases. */
export interface RuleDialect {
  /** A condition: the body of an event is not JSON. */
  isNoJson: string;
  /** How attempts refer to their delivery: their column, and that of the delivery. */
  attemptReference: { from: string; to: string };
  /** All deliveries: a table, or a query in parentheses. */
  deliveries: string;
  /** The pending ones. */
  pendingDeliveries: string;
  /** A condition about `queues AS q`: it is known when its first delivery is due. */
  isDueKnown: string;
  /** An expression about `queues AS q`: how many of its pending deliveries its depth does not include. */
  signalled: string;
}

const { minute, hour } = storedBuckets;
/** What is counted in a row of statistics, without latencies. */
const counted =
  'delivered + failed + status_2xx + status_3xx + status_4xx + status_5xx + no_status';

const statusList = orderStatuses.map((status) => `'${status}'`).join();

/** Each status with the versions that an order of it can have: 1 when it is placed, one more with each change. */
const versionsByStatus = `(VALUES ('pending', 1, 1), ('confirmed', 2, 2), ('fulfilling', 2, 3),
  ('completed', 3, 4), ('cancelled', 2, 4))`;

const parties = ['buyer_id', 'seller_id', 'agent_id'];

/** With whom the accounts of all orders trade. */
const partnersOfOrders = parties
  .flatMap((one) => parties.filter((other) => other !== one).map((other) => [one, other]))
  .map(
    ([one, other]) => `SELECT ${one} AS account_id, ${other} AS partner_id FROM orders
      WHERE ${one} IS NOT NULL AND ${other} IS NOT NULL`,
  )
  .join(' UNION ');

function differentPartners(one: string, other: string): string {
  return `SELECT account_id || ' with ' || partner_id FROM (
    SELECT account_id, partner_id FROM ${one} EXCEPT SELECT account_id, partner_id FROM ${other}) AS p`;
}

function accountsOfKind(table: string, column: string, kind: string): DataRule {
  return {
    problem: `${table} whose ${column} is an account of another kind`,
    sql: `SELECT t.id FROM ${table} AS t JOIN accounts AS a ON a.id = t.${column} WHERE a.kind <> '${kind}'`,
  };
}

/** The columns with the limits of accounts. */
const limitColumns: Record<keyof typeof limitBounds, string> = {
  requestsPerMinute: 'requests_per_minute',
  maxWebhooks: 'max_webhooks',
  maxOpenDeliveries: 'max_open_deliveries',
};

/** The columns with the retention of accounts. */
const retentionColumns: Record<keyof typeof retentionBounds, string> = {
  keepDeliveries: 'keep_deliveries',
  keepNotifications: 'keep_notifications',
  keepUnreadNotifications: 'keep_unread_notifications',
};

/** Returns a condition: a setting of an account is out of its bounds. */
function isOutOfBounds<Name extends string>(
  columns: Record<Name, string>,
  bounds: SettingBounds<Name>,
): string {
  return (Object.keys(bounds) as Name[])
    .map((name) => `${columns[name]} NOT BETWEEN ${bounds[name].min} AND ${bounds[name].max}`)
    .join(' OR ');
}

/**
 * Returns what the server keeps true with each change, beyond what the schema of SQLite enforces.
 *
 * @param dialect What differs between the databases.
 */
export function createRuleGroups({
  isNoJson,
  attemptReference: { from, to },
  deliveries,
  pendingDeliveries,
  isDueKnown,
  signalled,
}: RuleDialect): RuleGroup[] {
  /** The queues, their webhooks and accounts and, as `d`, what each queue should contain according to its deliveries. */
  const queuesWithDeliveries = `FROM queues AS q
    JOIN webhooks AS w ON w.id = q.webhook_id
    JOIN accounts AS a ON a.id = w.account_id
    LEFT JOIN (
      SELECT webhook_id, count(*) AS pending,
        count(*) FILTER (WHERE lease_until IS NOT NULL AND lease_counts) AS leased,
        min(CASE WHEN lease_until IS NULL THEN coalesce(due_at, created_at) END) AS first_due
      FROM ${pendingDeliveries} AS pending GROUP BY webhook_id) AS d ON d.webhook_id = q.webhook_id`;
  const isHeld = "w.status = 'paused' OR a.suspended_at IS NOT NULL";
  return [
    {
      name: 'accounts',
      description:
        'sellers, buyers and agents are accounts of that kind, with limits and retention in their bounds',
      rules: [
        accountsOfKind('listings', 'seller_id', 'seller'),
        accountsOfKind('listings', 'agent_id', 'agent'),
        accountsOfKind('orders', 'buyer_id', 'buyer'),
        accountsOfKind('orders', 'agent_id', 'agent'),
        {
          problem: 'accounts with a limit out of its bounds',
          sql: `SELECT id FROM accounts WHERE ${isOutOfBounds(limitColumns, limitBounds)}`,
        },
        {
          problem: 'accounts with a retention out of its bounds',
          sql: `SELECT id FROM accounts WHERE ${isOutOfBounds(retentionColumns, retentionBounds)}`,
        },
        {
          problem: 'accounts that keep unread notifications for less time than read ones',
          sql: `SELECT id FROM accounts WHERE keep_unread_notifications IS NOT NULL
            AND (keep_notifications IS NULL OR keep_notifications > keep_unread_notifications)`,
        },
      ],
    },
    {
      name: 'keys',
      description: 'every session belongs to a key of its account, and ends no later',
      rules: [
        {
          problem: 'sessions whose key is missing, of another account, or a session itself',
          sql: `SELECT s.id FROM api_keys AS s LEFT JOIN api_keys AS k
            ON k.id = s.parent_id AND k.account_id = s.account_id AND NOT k.session
            WHERE s.session AND k.id IS NULL`,
        },
        {
          problem: 'sessions without an end, or that outlive their key',
          sql: `SELECT s.id FROM api_keys AS s JOIN api_keys AS k ON k.id = s.parent_id
            WHERE s.session AND (s.expires_at IS NULL OR s.expires_at > k.expires_at)`,
        },
      ],
    },
    {
      name: 'stock',
      description: 'available and ordered units are those supplied, and low stock is marked',
      rules: [
        {
          problem: 'listings with a negative available quantity',
          sql: 'SELECT id FROM listings WHERE available_quantity < 0',
        },
        {
          problem: 'listings with more or fewer units than were supplied and not ordered',
          sql: `SELECT id || ' has ' || available_quantity || ', not ' || (supplied_quantity - ordered)
          FROM (
            SELECT l.*, coalesce(o.units, 0) AS ordered FROM listings AS l
            LEFT JOIN (
              SELECT listing_id, sum(quantity) AS units FROM orders WHERE status <> 'cancelled'
              GROUP BY listing_id) AS o ON o.listing_id = l.id) AS listing
          WHERE available_quantity <> supplied_quantity - ordered`,
        },
        {
          problem: 'listings whose low-stock mark contradicts their quantity and threshold',
          sql: `SELECT id FROM listings
          WHERE low_stock_notified NOT IN (TRUE, FALSE)
            OR (low_stock_notified AND (low_threshold IS NULL OR available_quantity > low_threshold))
            OR (NOT low_stock_notified AND available_quantity < low_threshold)`,
        },
      ],
    },
    {
      name: 'orders',
      description: 'status, version and seller of each order are consistent',
      rules: [
        {
          problem: 'orders with an unknown status',
          sql: `SELECT id FROM orders WHERE status NOT IN (${statusList})`,
        },
        {
          problem: 'orders whose version does not fit their status',
          sql: `SELECT o.id FROM orders AS o JOIN ${versionsByStatus} AS v ON v.column1 = o.status
          WHERE o.version NOT BETWEEN v.column2 AND v.column3`,
        },
        {
          problem: 'orders without units',
          sql: 'SELECT id FROM orders WHERE quantity <= 0',
        },
        {
          problem: 'orders of another seller than their listing',
          sql: `SELECT o.id FROM orders AS o JOIN listings AS l ON l.id = o.listing_id
          WHERE l.seller_id <> o.seller_id`,
        },
        {
          problem: 'orders changed before they were created',
          sql: 'SELECT id FROM orders WHERE updated_at < created_at',
        },
      ],
    },
    {
      name: 'partners',
      description: 'accounts are partners if they have an order together',
      rules: [
        {
          problem: 'missing partners of accounts that have an order together',
          sql: differentPartners(`(${partnersOfOrders}) AS o`, 'partners'),
        },
        {
          problem: 'partners without an order together',
          sql: differentPartners('partners', `(${partnersOfOrders}) AS o`),
        },
      ],
    },
    {
      name: 'tasks',
      description: 'an order has a task if it has an agent, open while it is pending',
      rules: [
        {
          problem: 'orders with an agent and without a task',
          sql: `SELECT id FROM orders WHERE agent_id IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM tasks WHERE order_id = orders.id)`,
        },
        {
          problem: 'tasks of another agent than their order',
          sql: `SELECT t.id FROM tasks AS t JOIN orders AS o ON o.id = t.order_id
          WHERE t.agent_id IS DISTINCT FROM o.agent_id`,
        },
        {
          problem: 'tasks that are open though their order is not pending, or the reverse',
          sql: `SELECT t.id FROM tasks AS t JOIN orders AS o ON o.id = t.order_id
          WHERE (t.completed_at IS NULL) <> (o.status = 'pending')`,
        },
      ],
    },
    {
      name: 'events',
      description: 'event log, notifications and deliveries fit their events',
      rules: [
        {
          problem: 'event log entries without an event',
          sql: `SELECT event_id FROM account_events
          WHERE NOT EXISTS (SELECT 1 FROM events WHERE id = account_events.event_id)`,
        },
        {
          problem: 'event log entries without an account',
          sql: `SELECT event_id FROM account_events
          WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = account_events.account_id)`,
        },
        {
          problem: 'events whose body is not JSON',
          sql: `SELECT id FROM events WHERE ${isNoJson}`,
        },
        {
          problem: 'events with a version that their order has not reached',
          sql: `SELECT e.id FROM events AS e JOIN orders AS o ON o.id = e.order_id
          WHERE e.order_version NOT BETWEEN 1 AND o.version`,
        },
        {
          problem: 'notifications of another type, order or time than their event',
          sql: `SELECT n.id FROM notifications AS n JOIN events AS e ON e.id = n.event_id
          WHERE n.type <> replace(e.event_type, '.', '_') OR n.created_at <> e.created_at
            OR (n.order_id IS DISTINCT FROM e.order_id AND e.event_type <> 'webhook.disabled')`,
        },
        {
          problem: 'events of a disabled webhook that several accounts got',
          sql: `SELECT e.id FROM events AS e JOIN account_events AS l ON l.event_id = e.id
          WHERE e.event_type = 'webhook.disabled' GROUP BY e.id HAVING count(*) > 1`,
        },
        {
          problem: 'notifications that another account got than their event',
          sql: `SELECT n.id FROM notifications AS n WHERE NOT EXISTS (
            SELECT 1 FROM account_events AS l WHERE l.event_id = n.event_id AND l.account_id = n.account_id)`,
        },
        {
          problem: 'deliveries of another type or time than their event',
          sql: `SELECT d.id FROM ${deliveries} AS d JOIN events AS e ON e.id = d.event_id
          WHERE d.event_type <> e.event_type OR d.created_at <> e.created_at
            OR (d.test <> (e.order_id IS NULL) AND e.event_type <> 'webhook.disabled')`,
        },
      ],
    },
    {
      name: 'webhooks',
      description: 'each webhook has a queue and subscriptions; deleted ones have no secret',
      rules: [
        {
          problem: 'webhooks without a queue',
          sql: `SELECT id FROM webhooks
          WHERE NOT EXISTS (SELECT 1 FROM queues WHERE webhook_id = webhooks.id)`,
        },
        {
          problem: 'webhooks without a subscription, or deleted ones with one',
          sql: `SELECT id FROM webhooks WHERE (deleted_at IS NULL) <> EXISTS (
            SELECT 1 FROM webhook_events AS s
            WHERE s.webhook_id = webhooks.id AND s.account_id = webhooks.account_id)`,
        },
        {
          problem: 'subscriptions of another account than their webhook',
          sql: `SELECT s.webhook_id FROM webhook_events AS s JOIN webhooks AS w ON w.id = s.webhook_id
          WHERE s.account_id <> w.account_id`,
        },
        {
          problem: 'webhooks with an unknown status',
          sql: "SELECT id FROM webhooks WHERE status NOT IN ('active', 'paused')",
        },
        {
          problem: 'webhooks without a secret',
          sql: "SELECT id FROM webhooks WHERE deleted_at IS NULL AND secret = ''",
        },
        {
          problem: 'deleted webhooks whose secret is still stored',
          sql: `SELECT id FROM webhooks
          WHERE deleted_at IS NOT NULL AND (secret <> '' OR staged_secret IS NOT NULL OR headers <> '')`,
        },
        {
          problem: 'stored responses that show a deleted webhook',
          sql: `SELECT webhook_id FROM idempotency_keys WHERE webhook_id IS NOT NULL AND response <> ''
          AND NOT EXISTS (
            SELECT 1 FROM webhooks WHERE id = idempotency_keys.webhook_id AND deleted_at IS NULL)`,
        },
      ],
    },
    {
      name: 'deliveries',
      description: 'each delivery is due, leased or finished, and has its attempts',
      rules: [
        {
          problem: 'deliveries with an unknown state',
          sql: `SELECT id FROM ${deliveries} AS d WHERE state NOT IN ('pending', 'delivered', 'failed')`,
        },
        {
          problem: 'deliveries with half a lease',
          sql: `SELECT id FROM ${pendingDeliveries} AS d WHERE (lease_until IS NULL) <> (lease_token IS NULL)`,
        },
        {
          problem: 'deliveries with missing or surplus attempts',
          sql: `SELECT d.id FROM ${deliveries} AS d LEFT JOIN (
            SELECT ${from}, count(*) AS stored, max(number) AS last FROM attempts GROUP BY ${from}) AS a
            ON a.${from} = d.${to}
          WHERE coalesce(a.last, 0) <> d.attempts OR coalesce(a.stored, 0) <>
            CASE WHEN d.attempts < ${maxStoredAttempts} THEN d.attempts ELSE ${maxStoredAttempts} END`,
        },
      ],
    },
    {
      name: 'statistics',
      description: 'no hour has fewer counts than its minutes',
      rules: [
        {
          problem: 'hours of statistics with fewer deliveries or attempts than their minutes',
          sql: `SELECT m.webhook_id || ' at ' || m.hour FROM (
              SELECT webhook_id, start / ${hour.width} * ${hour.width} AS hour, sum(${counted}) AS counted
              FROM webhook_stats WHERE width = ${minute.width} GROUP BY 1, 2) AS m
            JOIN webhook_stats AS h
              ON h.webhook_id = m.webhook_id AND h.width = ${hour.width} AND h.start = m.hour
            WHERE m.counted > ${counted}`,
        },
      ],
    },
    {
      name: 'queues',
      description:
        'the counters of each queue fit its deliveries, and it is polled when it should be',
      rules: [
        {
          problem: 'queues with a wrong depth',
          sql: `SELECT q.webhook_id || ' has depth ' || (q.depth + ${signalled}) || ', not ' || coalesce(d.pending, 0)
          ${queuesWithDeliveries} WHERE q.depth + ${signalled} <> coalesce(d.pending, 0)`,
        },
        {
          problem: 'queues with a wrong number in flight',
          sql: `SELECT q.webhook_id || ' has ' || q.in_flight || ' in flight, not ' || coalesce(d.leased, 0)
          ${queuesWithDeliveries} WHERE q.in_flight <> coalesce(d.leased, 0)`,
        },
        {
          problem:
            'queues that are held though their webhook is not paused nor its account suspended, or the reverse',
          sql: `SELECT q.webhook_id ${queuesWithDeliveries} WHERE q.paused <> (${isHeld})`,
        },
        {
          problem: 'queues that nothing polls, or too late',
          sql: `SELECT q.webhook_id ${queuesWithDeliveries}
          WHERE NOT (${isHeld}) AND q.in_flight < q.concurrency_limit AND d.first_due IS NOT NULL AND ${isDueKnown}
            AND (q.next_at IS NULL
              OR (q.next_at > d.first_due AND q.next_at > q.backoff_until AND q.next_at > q.rate_until AND q.next_at > @latest))`,
        },
        {
          problem: 'queues that are polled though nothing may be leased',
          sql: `SELECT q.webhook_id ${queuesWithDeliveries}
          WHERE q.next_at IS NOT NULL AND (${isHeld} OR q.in_flight >= q.concurrency_limit)`,
        },
      ],
    },
  ];
}

/** Adds rules about what only one database has to their groups, by their names. */
export function addRules(
  groups: readonly RuleGroup[],
  added: Record<string, readonly DataRule[]>,
): RuleGroup[] {
  return groups.map((group) => ({
    ...group,
    rules: [...group.rules, ...(added[group.name] ?? [])],
  }));
}
