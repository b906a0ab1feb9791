import {
  allEventTypes,
  type DeliveryAttempt,
  deliveryStates,
  statusClasses,
} from '@tradepost/contract/wire';
import { createAuditEntry } from '@tradepost/domain/audit/audit-log';
import {
  type DeliveryFilter,
  type LoggedDelivery,
  replayDelivery,
  toDeliveryDetailsResponse,
  toDeliveryResponse,
} from '@tradepost/domain/deliveries/logged-delivery';
import { systemClock } from '@tradepost/domain/kernel/context';
import { DomainError } from '@tradepost/domain/kernel/errors';
import { decodeCursor, type PageKey, slicePage } from '@tradepost/domain/kernel/pagination';
import { type Command, Option } from 'commander';
import { describeDatabase } from '../stores/database-url';
import { mergeDeliveries } from '../stores/delivery-search';
import type { Store } from '../stores/store';
import { requireAccount } from './accounts';
import { createCommandContext, getOperator } from './operator';
import { OperatorError, UsageError } from './operator-error';
import { databaseOption, jsonOption, parseInteger, parseSince } from './options';
import { printList, printMore, printResult, printTable, type Streams, shorten } from './output';
import { requireWebhook } from './webhooks';
import { withExistingStore, withStoreToRead } from './with-store';

interface ListOptions {
  database: string;
  account?: string;
  webhook?: string;
  event?: string;
  order?: string;
  type?: LoggedDelivery['eventType'];
  state?: LoggedDelivery['state'];
  statusClass?: NonNullable<DeliveryFilter['statusClass']>;
  since?: number;
  until?: number;
  stuck?: boolean;
  limit: number;
  cursor?: string;
  json?: boolean;
}

function toFilter(options: ListOptions): DeliveryFilter {
  const { webhook, event, order, type, since, until, statusClass, stuck } = options;
  const state = stuck ? 'pending' : options.state;
  return {
    ...(webhook !== undefined && { webhookId: webhook }),
    ...(event !== undefined && { eventId: event }),
    ...(order !== undefined && { orderId: order }),
    ...(type !== undefined && { eventType: type }),
    ...(state !== undefined && { state }),
    ...(statusClass !== undefined && { statusClass }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

/** Returns whether a delivery could be attempted now, and is not. */
function isStuck(delivery: LoggedDelivery, now: number): boolean {
  const { nextAttemptAt, inProgress, paused, backoffUntil, rateUntil } = delivery;
  const isDue = nextAttemptAt !== null && nextAttemptAt <= now;
  return isDue && !inProgress && !paused && Math.max(backoffUntil, rateUntil) <= now;
}

/** Lists the accounts whose deliveries a filter may find: those with a webhook. */
async function listAccountIds(store: Store, options: ListOptions): Promise<string[]> {
  const { account, webhook, database } = options;
  if (account !== undefined) await requireAccount(store, account, database);
  if (webhook !== undefined) await requireWebhook(store, webhook, database);
  const webhooks = await store.webhooks.listAllWebhooks(account);
  const wanted = webhooks.filter(({ id }) => id === (webhook ?? id));
  return [...new Set(wanted.map(({ accountId }) => accountId))];
}

/** Finds the newest deliveries of one account, page by page until enough of them are stuck, if these are wanted. */
async function findOfAccount(
  store: Store,
  accountId: string,
  options: ListOptions,
  { after, limit }: { after: PageKey | null; limit: number },
): Promise<LoggedDelivery[]> {
  const filter = toFilter(options);
  const found: LoggedDelivery[] = [];
  for (let start = after; ; ) {
    const page = await store.deliveryLog.listDeliveries(accountId, filter, { after: start, limit });
    found.push(...page.filter((one) => !options.stuck || isStuck(one, systemClock.now())));
    const last = page.at(-1);
    if (!options.stuck || page.length < limit || found.length >= limit || last === undefined)
      return found;
    start = last;
  }
}

/** Parses a cursor. @throws UsageError */
function parseCursor(cursor: string | undefined): PageKey | null {
  try {
    return cursor === undefined ? null : decodeCursor(cursor, 'dlv');
  } catch {
    throw new UsageError('--cursor is not valid. Pass that of the previous page, unchanged.');
  }
}

function format(accountId: string, delivery: LoggedDelivery): Record<string, unknown> {
  const { id, ...details } = toDeliveryResponse(delivery, systemClock.now());
  return { id, accountId, ...details };
}

async function listRun(options: ListOptions, streams: Streams): Promise<void> {
  if (options.stuck && options.state !== undefined && options.state !== 'pending') {
    throw new UsageError('--stuck deliveries are pending. Leave out --state.');
  }
  const { since, until } = options;
  if (since !== undefined && until !== undefined && since > until) {
    throw new UsageError('--since must not be later than --until.');
  }
  const after = parseCursor(options.cursor);
  const owners = new Map<string, string>();
  const { items, nextCursor } = await withStoreToRead(options.database, async (store) => {
    let found: LoggedDelivery[] = [];
    // One more than the page has, so that it is known whether there is another.
    const page = { after, limit: options.limit + 1 };
    for (const accountId of await listAccountIds(store, options)) {
      const own = await findOfAccount(store, accountId, options, page);
      found = mergeDeliveries(found, own, page.limit);
      for (const { webhookId } of own) owners.set(webhookId, accountId);
    }
    return slicePage(found, options.limit);
  });
  const listed = items.map((one) => format(owners.get(one.webhookId) ?? '', one));
  printList(streams, listed, { json: options.json, none: 'No deliveries.' });
  if (nextCursor !== null) printMore(streams, nextCursor);
}

/** Returns the account of a delivery. @throws OperatorError if there is none with this ID. */
async function requireOwner(store: Store, id: string, database: string): Promise<string> {
  const accountId = await store.deliveryLog.findOwner(id);
  if (accountId !== null) return accountId;
  throw new OperatorError(
    `Delivery ${id} does not exist in ${describeDatabase(database)}. Old deliveries are pruned, and those of deleted webhooks are removed. See deliveries list.`,
  );
}

interface DeliveryOptions {
  database: string;
  json?: boolean;
}

async function showRun(id: string, options: DeliveryOptions, streams: Streams): Promise<void> {
  const { database, json } = options;
  const { accountId, record } = await withStoreToRead(database, async (store) => {
    const owner = await requireOwner(store, id, database);
    return { accountId: owner, record: await store.deliveryLog.findDelivery(owner, id) };
  });
  if (record === null) throw new OperatorError(`Delivery ${id} was removed meanwhile.`);
  const { body, attempts } = toDeliveryDetailsResponse(record, systemClock.now());
  const shown = { ...format(accountId, record), body };
  if (json) return printResult(streams, { ...shown, attempts }, json);
  printResult(streams, shown, json);
  if (attempts.length > 0) streams.stdout.write('\n');
  printTable(streams, attempts.map(formatAttempt));
}

/** Returns the line of an attempt: of the response its beginning, on one line. */
function formatAttempt(attempt: DeliveryAttempt): Record<string, string> {
  const { number, startedAt, durationMs, status, error, responseSnippet } = attempt;
  const text = responseSnippet.replace(/\s+/g, ' ').trim();
  return {
    attempt: String(number),
    startedAt,
    duration: `${durationMs} ms`,
    result: [status, error].filter((part) => part !== null).join(' '),
    response: shorten(text, 60),
  };
}

async function replayRun(ids: string[], options: DeliveryOptions, streams: Streams): Promise<void> {
  const { database, json } = options;
  const context = createCommandContext();
  const replayed = await withExistingStore(database, async (store) => {
    const owners = new Map<string, string>();
    // Before anything is changed.
    for (const id of new Set(ids)) owners.set(id, await requireOwner(store, id, database));
    const results: Record<string, unknown>[] = [];
    for (const [id, accountId] of owners) {
      const request = { accountId, ids: [id], idempotencyKey: null, context };
      const { response } = await store.deliveryLog.replayDeliveries(request, (found) => {
        const deliveries = found.map((one) => replayDelivery(one, context.now));
        return { deliveries, response: { status: 202, headers: {}, body: deliveries } };
      });
      await store.audit.addEntry(
        createAuditEntry(getOperator(), 'deliveries.replayed', { id, accountId }, {}, context),
      );
      results.push(...response.body.map((one) => format(accountId, one)));
    }
    return results;
  }).catch((error: unknown) => {
    throw error instanceof DomainError ? new OperatorError(error.message) : error;
  });
  printList(streams, replayed, { json, none: 'No deliveries.' });
}

/** `tradepost-server deliveries`. */
export function addDeliveryCommands(program: Command, streams: Streams): void {
  const deliveries = program
    .command('deliveries')
    .description('list, show and replay deliveries of any account');
  deliveries
    .command('list')
    .description('list deliveries, newest first')
    .option('--account <id>', 'only to this account, usr_<id>')
    .option('--webhook <id>', 'only to this webhook, whk_<id>')
    .option('--event <id>', 'only of this event, evt_<id>')
    .option('--order <id>', 'only of events of this order, ord_<id>')
    .addOption(new Option('--type <type>', 'only of this type of event').choices(allEventTypes))
    .addOption(new Option('--state <state>', 'only in this state').choices(deliveryStates))
    .addOption(
      new Option('--status-class <class>', 'only with this last response').choices(statusClasses),
    )
    .option('--since <time>', 'only queued since then: a time, or 24h', parseSince)
    .option('--until <time>', 'only queued before then: a time, or 24h', parseSince)
    .option(
      '--stuck',
      'only those that are due, could be sent, and are not: no worker runs, perhaps',
    )
    .option('--limit <deliveries>', 'how many at most', parseInteger(1, 1_000), 50)
    .option('--cursor <cursor>', 'continue after the previous page')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => listRun(options, streams));
  deliveries
    .command('show')
    .description(
      'show a delivery with its body and a line for each attempt; --json has their headers and whole responses',
    )
    .argument('<id>', 'the delivery, dlv_<id>')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((id, options) => showRun(id, options, streams));
  deliveries
    .command('replay')
    .description('send deliveries again, ahead of what waits for their endpoints')
    .argument('<ids...>', 'the deliveries, dlv_<id>')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((ids, options) => replayRun(ids, options, streams));
}
