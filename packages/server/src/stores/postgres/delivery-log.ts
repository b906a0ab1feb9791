import { AsyncResource } from 'node:async_hooks';
import type { DeliveryLogStore } from '@tradepost/domain/deliveries/delivery-store';
import { needsSearch } from '@tradepost/domain/deliveries/logged-delivery';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type { IdempotentResult, StoredResponse } from '@tradepost/domain/kernel/idempotency';
import { findDeliveries } from '../delivery-search';
import { attemptFields } from '../records/tables';
import { SearchScheduler } from '../search-scheduler';
import type { PostgresDatabase } from './database';
import { createDeliveryReader, selectPage } from './delivery-search';
import type { GroupCommit, Traced, WriteGroup } from './group-commit';
import {
  queueRow,
  type Replay,
  selectOwned,
  type TestEvent,
  writeRequests,
} from './requested-deliveries';

/** Creates the store of the delivery log. `onQueued` is called after a commit that made deliveries due. */
export function createPostgresDeliveryLogStore(
  db: PostgresDatabase,
  groups: GroupCommit,
  onQueued: () => void,
): DeliveryLogStore {
  const reader = createDeliveryReader(db);
  const scheduler = new SearchScheduler();
  const replays = new SearchScheduler({ name: 'bulk replays' });
  const writeGroup: WriteGroup<Traced<Replay | TestEvent>, IdempotentResult<StoredResponse>> = (
    tx,
    members,
    waits,
  ) => writeRequests(db, tx, members, waits);
  async function queue(request: Omit<Replay, 'isRepeatable'> | Omit<TestEvent, 'isRepeatable'>) {
    // A repetition finds the stored response.
    const isRepeatable = request.idempotencyKey !== null;
    const result = await groups.add(writeGroup, { ...request, isRepeatable });
    onQueued();
    return result;
  }
  /**
   * Writes many replays in a transaction of their own, so that a group stays small. One runs at a time, and accounts take turns:
   * those that wait for a queue would take the connections of other requests.
   */
  async function replayMany(replay: Omit<Replay, 'isRepeatable'>) {
    const change = { ...replay, isRepeatable: replay.idempotencyKey !== null };
    // The scheduler runs in the trace of another request.
    const write = AsyncResource.bind(() =>
      db.write((tx) => writeRequests(db, tx, [{ change, traceContext: tx.traceContext }], true), {
        isRepeatable: change.isRepeatable,
      }),
    );
    const step = async () => ({ done: true, value: await write() }) as const;
    const [outcome] = await replays.run(replay.accountId, step);
    if (outcome === undefined || 'lockedRow' in outcome)
      throw new StoreUnavailableError('PostgreSQL: a queue was removed meanwhile.');
    if ('error' in outcome) throw outcome.error;
    onQueued();
    return outcome.result;
  }

  return {
    async listDeliveries(accountId, filter, page, signal) {
      if (!needsSearch(filter)) return await selectPage(db, accountId, filter, page);
      const steps = findDeliveries(reader, accountId, filter, page);
      return await scheduler.run(accountId, () => steps.next(), signal);
    },

    async findOwner(id) {
      const [found] = await selectOwned(db, [id]);
      return found?.accountId ?? null;
    },

    async findDelivery(accountId, id) {
      const [found] = await selectOwned(db, [id]);
      if (found?.accountId !== accountId) return null;
      const { delivery } = found;
      const [event, attempts] = await Promise.all([
        db.row<{ body: string }>('SELECT body FROM events WHERE id = $1', delivery.eventId),
        db.list(attemptFields, 'FROM attempts WHERE delivery_id = $1 ORDER BY number', id),
      ]);
      return { ...delivery, body: event?.body ?? '', attempts };
    },

    async replayDeliveries<Response extends StoredResponse>(
      request: Parameters<DeliveryLogStore['replayDeliveries']>[0],
      decide: Replay['decide'],
    ) {
      const [first, ...others] = request.ids;
      const row = `delivery ${first}`;
      const change = { kind: 'replay', row, ...request, decide } as const;
      const isOne = first !== undefined && others.length === 0;
      return (await (isOne ? queue(change) : replayMany(change))) as IdempotentResult<Response>;
    },

    async enqueueTestDelivery<Response extends StoredResponse>(
      request: Parameters<DeliveryLogStore['enqueueTestDelivery']>[0],
      decide: TestEvent['decide'],
    ) {
      const row = queueRow(request.webhookId);
      return (await queue({ kind: 'test', row, ...request, decide })) as IdempotentResult<Response>;
    },
  };
}
