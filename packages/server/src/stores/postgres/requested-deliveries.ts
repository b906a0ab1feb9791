import { type Delivery, dueAhead } from '@tradepost/domain/deliveries/delivery';
import { resetBackoff } from '@tradepost/domain/deliveries/endpoint-health';
import type { LoggedDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import type { StoredEvent } from '@tradepost/domain/events/event';
import type { CommandContext } from '@tradepost/domain/kernel/context';
import { DomainError } from '@tradepost/domain/kernel/errors';
import type {
  IdempotencyKey,
  IdempotentResult,
  StoredResponse,
} from '@tradepost/domain/kernel/idempotency';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { events, loggedDeliveryFields, pendingDeliveries } from '../records/tables';
import type { PostgresDatabase, Queries, Transaction } from './database';
import { allDeliveries } from './delivery-queries';
import { type GroupedChange, locking, type Outcome, type Traced } from './group-commit';
import { StoredKeys } from './idempotency';
import { QueueUnitOfWork, selectFirstDueAt } from './queues';
import { selectWebhooks } from './webhooks';
import { WriteSet } from './write-set';

interface Request extends GroupedChange {
  accountId: string;
  idempotencyKey: IdempotencyKey | null;
  context: CommandContext;
}

/** Deliveries to send again. */
export interface Replay extends Request {
  kind: 'replay';
  ids: readonly string[];
  decide: (found: LoggedDelivery[]) => { deliveries: LoggedDelivery[]; response: StoredResponse };
}

/** A test event to send. */
export interface TestEvent extends Request {
  kind: 'test';
  webhookId: string;
  decide: (found: Webhook | null) => {
    event: StoredEvent;
    delivery: Delivery;
    response: StoredResponse;
  };
}

type Member = Traced<Replay | TestEvent>;
type Result = IdempotentResult<StoredResponse>;

/** When a delivery is due that was put ahead of its queue. */
interface Turn {
  dueAt: number;
  scheduledAt: number;
  traceContext: string | null;
}

/** A delivery, and the account of its webhook. */
interface OwnedDelivery {
  accountId: string;
  delivery: LoggedDelivery;
}

/** Returns those of some deliveries that belong to webhooks that are not deleted, with their accounts. */
export async function selectOwned(db: Queries, ids: readonly string[]): Promise<OwnedDelivery[]> {
  const rows = await db.rows<LoggedDelivery & { accountId: string }>(
    `SELECT ${loggedDeliveryFields.select}, webhooks.account_id AS "accountId"
     FROM unnest($1::text[]) AS wanted (id) JOIN ${allDeliveries} AS d ON d.id = wanted.id
     JOIN webhooks ON webhooks.id = d.webhook_id AND webhooks.deleted_at IS NULL
     JOIN queues ON queues.webhook_id = d.webhook_id`,
    ids,
  );
  return rows.map(({ accountId, ...delivery }) => ({ accountId, delivery }));
}

/** Puts deliveries back into their queues, whether they are finished or not. */
const putBack = `WITH wanted AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[])
      AS w (id, due_at, scheduled_at, deadline_at, trace_context)),
  finished AS (
    DELETE FROM deliveries WHERE id = ANY ($1::text[]) RETURNING *),
  again AS (
    INSERT INTO pending_deliveries (id, event_id, webhook_id, event_type, test, attempts, tries, due_at,
      scheduled_at, deadline_at, lease_counts, last_status, last_error, created_at, trace_context)
    SELECT f.id, event_id, webhook_id, event_type, test, attempts, 0, w.due_at, w.scheduled_at,
      w.deadline_at, FALSE, last_status, last_error, created_at, w.trace_context
    FROM finished AS f JOIN wanted AS w ON w.id = f.id)
  UPDATE pending_deliveries AS d SET tries = 0, due_at = w.due_at, scheduled_at = w.scheduled_at,
    deadline_at = w.deadline_at, trace_context = w.trace_context
  FROM wanted AS w WHERE d.id = w.id`;

function putBackAll(
  tx: Transaction,
  replays: ReadonlyMap<string, Turn & { deadlineAt: number }>,
): void {
  if (replays.size === 0) return;
  const turns = [...replays.values()];
  tx.send(
    putBack,
    [...replays.keys()],
    turns.map(({ dueAt }) => dueAt),
    turns.map(({ scheduledAt }) => scheduledAt),
    turns.map(({ deadlineAt }) => deadlineAt),
    turns.map(({ traceContext }) => traceContext),
  );
}

/** What requested deliveries are decided on, as the ones before left it, and what is to be written. */
class RequestGroup {
  readonly #keys: StoredKeys;
  readonly #queues: QueueUnitOfWork;
  readonly #deliveries: Map<string, OwnedDelivery>;
  readonly #webhooks: Map<string, Webhook>;
  readonly #lockedWebhooks: Set<string>;
  /** When the first delivery of each queue is due. */
  readonly #first: Map<string, number | null>;
  readonly #events: StoredEvent[] = [];
  readonly #tests: (Delivery & Turn)[] = [];
  readonly #replays = new Map<string, Turn & { deadlineAt: number }>();

  private constructor(
    keys: StoredKeys,
    queues: QueueUnitOfWork,
    read: {
      deliveries: OwnedDelivery[];
      webhooks: Webhook[];
      lockedWebhooks: { id: string }[];
      first: Map<string, number | null>;
    },
  ) {
    this.#keys = keys;
    this.#queues = queues;
    this.#deliveries = new Map(read.deliveries.map((one) => [one.delivery.id, one]));
    this.#webhooks = new Map(read.webhooks.map((one) => [one.id, one]));
    this.#lockedWebhooks = new Set(read.lockedWebhooks.map(({ id }) => id));
    this.#first = read.first;
  }

  /** Locks webhooks, queues and finished deliveries, and reads what is decided on. */
  static async read(
    db: PostgresDatabase,
    tx: Transaction,
    members: readonly Member[],
    waits: boolean,
  ): Promise<RequestGroup> {
    const changes = members.map(({ change }) => change);
    const replayed = changes.flatMap((change) => (change.kind === 'replay' ? change.ids : []));
    const tested = changes.flatMap((change) => (change.kind === 'test' ? change.webhookId : []));
    const [wanted, lockedWebhooks] = await Promise.all([
      selectOwned(tx, replayed),
      tx.rows<{ id: string }>(`SELECT id FROM webhooks ${locking(waits)}`, tested),
    ]);
    const webhookIds = [...wanted.map(({ delivery }) => delivery.webhookId), ...tested];
    const [queues, , deliveries, webhooks, keys] = await Promise.all([
      QueueUnitOfWork.lock(tx, webhookIds, waits),
      // Retention may not remove them now.
      tx.rows(
        'SELECT 1 FROM deliveries WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE',
        replayed,
      ),
      // Again, because workers may have leased or finished some meanwhile.
      selectOwned(tx, replayed),
      selectWebhooks(db, tx, tested),
      StoredKeys.read(
        db,
        tx,
        changes.flatMap(({ idempotencyKey }) => idempotencyKey ?? []),
      ),
    ]);
    const first = new Map<string, number | null>();
    await Promise.all(
      queues.all.map(async (queue) =>
        first.set(queue.webhookId, await selectFirstDueAt(tx, queue)),
      ),
    );
    return new RequestGroup(keys, queues, { deliveries, webhooks, lockedWebhooks, first });
  }

  /** Decides on a requested delivery. */
  decide({ change, traceContext }: Member): Outcome<Result> {
    const { idempotencyKey, context } = change;
    try {
      const stored = idempotencyKey && this.#keys.find(idempotencyKey, context.now);
      if (stored) return { result: stored };
      const outcome =
        change.kind === 'replay'
          ? this.#replay(change, traceContext)
          : this.#test(change, traceContext);
      if ('lockedRow' in outcome) return outcome;
      const { response } = outcome;
      if (idempotencyKey) this.#keys.add(idempotencyKey, response, null);
      return { result: { response, replayed: false } };
    } catch (error) {
      if (error instanceof DomainError) return { error };
      throw error;
    }
  }

  #replay(
    { accountId, ids, decide, context }: Replay,
    traceContext: string | null,
  ): { response: StoredResponse } | { lockedRow: string } {
    const found = ids.flatMap((id) => {
      const stored = this.#deliveries.get(id);
      return stored?.accountId === accountId ? stored.delivery : [];
    });
    const locked = found.find(({ webhookId }) => this.#queues.find(webhookId) === undefined);
    if (locked !== undefined) return { lockedRow: queueRow(locked.webhookId) };
    const finished = new Set(found.filter(({ state }) => state !== 'pending').map(({ id }) => id));
    const { deliveries, response } = decide(found);
    for (const delivery of deliveries) {
      const { id, webhookId, deadlineAt } = delivery;
      this.#deliveries.set(id, { accountId, delivery });
      const turn = this.#putAhead(webhookId, finished.has(id), context.now, traceContext);
      this.#replays.set(id, { ...turn, deadlineAt });
    }
    return { response };
  }

  #test(
    { accountId, webhookId, decide, context }: TestEvent,
    traceContext: string | null,
  ): { response: StoredResponse } | { lockedRow: string } {
    const stored = this.#webhooks.get(webhookId);
    const found = stored?.accountId === accountId ? stored : null;
    const isLocked =
      this.#lockedWebhooks.has(webhookId) && this.#queues.find(webhookId) !== undefined;
    if (found !== null && !isLocked) return { lockedRow: queueRow(webhookId) };
    const { event, delivery, response } = decide(found);
    this.#events.push(event);
    this.#tests.push({
      ...delivery,
      ...this.#putAhead(webhookId, true, context.now, traceContext),
    });
    return { response };
  }

  /** Puts a delivery ahead of what waits in its queue, and ends the backoff of the endpoint. */
  #putAhead(webhookId: string, isNew: boolean, now: number, traceContext: string | null): Turn {
    const dueAt = dueAhead(this.#first.get(webhookId) ?? null, now);
    this.#first.set(webhookId, dueAt);
    const queue = this.#queues.get(webhookId);
    this.#queues.change(webhookId, { ...resetBackoff(queue), depth: queue.depth + Number(isNew) });
    this.#queues.noteDueAt(webhookId, dueAt);
    return { dueAt, scheduledAt: now, traceContext };
  }

  write(tx: Transaction, now: number): void {
    const writes = new WriteSet();
    writes.insert(events, this.#events);
    writes.insert(
      pendingDeliveries,
      this.#tests.map((test) => ({ attempts: 0, tries: 0, leaseCounts: false, ...test })),
    );
    this.#keys.addWrites(tx, writes);
    writes.send(tx);
    putBackAll(tx, this.#replays);
    this.#queues.write(tx, now);
  }
}

/** Names the row that a requested delivery locks. */
export const queueRow = (webhookId: string) => `queue ${webhookId}`;

/** Queues requested deliveries in one transaction, each ahead of what waits in its queue. */
export async function writeRequests(
  db: PostgresDatabase,
  tx: Transaction,
  members: readonly Member[],
  waits: boolean,
): Promise<Outcome<Result>[]> {
  const group = await RequestGroup.read(db, tx, members, waits);
  const outcomes = members.map((member) => group.decide(member));
  group.write(tx, Math.max(...members.map(({ change }) => change.context.now)));
  return outcomes;
}
