import { DomainError } from '@tradepost/domain/kernel/errors';
import type {
  IdempotencyKey,
  IdempotentResult,
  StoredResponse,
} from '@tradepost/domain/kernel/idempotency';
import { idempotencyKeys } from '../records/tables';
import { readStored, toStored } from '../stored-responses';
import type { PostgresDatabase, Queries, Transaction } from './database';
import { WriteSet } from './write-set';

/** Erases stored responses that show a webhook, because they may contain its secret. Their keys stay reserved. */
export function eraseResponsesAbout(tx: Transaction, webhookId: string): void {
  tx.send("UPDATE idempotency_keys SET response = '' WHERE webhook_id = $1", webhookId);
}

type Row = ReturnType<typeof toStored>;

const identify = ({ accountId, operation, key }: IdempotencyKey) =>
  JSON.stringify([accountId, operation, key]);

/** Keys that are passed as three arrays. */
const givenKeys = `unnest($1::text[], $2::text[], $3::text[]) AS given (account_id, operation, key)`;
const isGiven = ['account_id', 'operation', 'key']
  .map((column) => `idempotency_keys.${column} = given.${column}`)
  .join(' AND ');

const toArrays = (keys: readonly IdempotencyKey[]) => [
  keys.map(({ accountId }) => accountId),
  keys.map(({ operation }) => operation),
  keys.map(({ key }) => key),
];

/**
 * The idempotency keys of changes that are written in one transaction, and their stored responses. If another transaction commits
 * one of the keys first, writing it fails, and the transaction runs again: see `isKeyTaken`.
 */
export class StoredKeys {
  readonly #db: PostgresDatabase;
  readonly #rows: Map<string, Row>;
  readonly #expired: Row[] = [];
  readonly #added = new Map<string, Row>();

  private constructor(db: PostgresDatabase, rows: readonly Row[]) {
    this.#db = db;
    this.#rows = new Map(rows.map((row) => [identify(row), row]));
  }

  /** Reads what is stored with some keys. */
  static async read(
    db: PostgresDatabase,
    queries: Queries,
    keys: readonly IdempotencyKey[],
  ): Promise<StoredKeys> {
    if (keys.length === 0) return new StoredKeys(db, []);
    const given = `FROM ${givenKeys} JOIN idempotency_keys ON ${isGiven}`;
    return new StoredKeys(db, await queries.list(idempotencyKeys, given, ...toArrays(keys)));
  }

  /**
   * Returns the stored response of a key; null if there is none, or it has expired.
   *
   * @throws DomainError `idempotency_key_reused` if the key belongs to another request, `webhook_deleted` if its response was
   *   erased.
   */
  find<Response extends StoredResponse>(
    key: IdempotencyKey,
    now: number,
  ): IdempotentResult<Response> | null {
    const row = this.#rows.get(identify(key));
    return row === undefined || row.expiresAt <= now
      ? null
      : readStored(this.#db.secrets, key, row);
  }

  /** Stores the response of a key that has none, and the webhook that it shows, if any. */
  add(key: IdempotencyKey, response: StoredResponse, webhookId: string | null): void {
    const id = identify(key);
    const expired = this.#rows.get(id);
    if (expired !== undefined && !this.#added.has(id)) this.#expired.push(expired);
    const row = toStored(this.#db.secrets, key, response, webhookId);
    this.#rows.set(id, row);
    this.#added.set(id, row);
  }

  /** Adds the inserts of what was added, in one order, so that no two transactions wait for each other. */
  addWrites(tx: Transaction, writes: WriteSet): void {
    if (this.#expired.length > 0) {
      tx.send(
        `DELETE FROM idempotency_keys USING ${givenKeys} WHERE ${isGiven} AND expires_at <= $4`,
        ...toArrays(this.#expired),
        Math.max(...this.#expired.map(({ expiresAt }) => expiresAt)),
      );
    }
    const sorted = [...this.#added].sort(([one], [other]) => (one < other ? -1 : 1));
    writes.insert(
      idempotencyKeys,
      sorted.map(([, row]) => row),
    );
  }
}

/**
 * Runs a change once per idempotency key. The response is stored in the same transaction. Of two requests with one key that run
 * at once, the second one waits for the first at the key's row; then it starts again and finds the stored response.
 *
 * @param work May be called again. Returns the response, and the webhook that it shows, if any.
 * @throws DomainError `idempotency_key_reused` if the key belongs to another request, `webhook_deleted` if its response was
 *   erased.
 */
export function writeIdempotent<Response extends StoredResponse>(
  db: PostgresDatabase,
  idempotencyKey: IdempotencyKey | null,
  now: number,
  work: (tx: Transaction) => Promise<{ response: Response; webhookId?: string }>,
): Promise<IdempotentResult<Response>> {
  return db.write(
    async (tx) => {
      if (idempotencyKey === null) return { response: (await work(tx)).response, replayed: false };
      const readKeys = () => StoredKeys.read(db, tx, [idempotencyKey]);
      const keys = await readKeys();
      const stored = keys.find<Response>(idempotencyKey, now);
      if (stored !== null) return stored;
      let change: Awaited<ReturnType<typeof work>>;
      try {
        change = await work(tx);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        // The first request with this key may have been committed meanwhile, and be the reason of the rejection.
        const first = (await readKeys()).find<Response>(idempotencyKey, now);
        if (first === null) throw error;
        return first;
      }
      const { response, webhookId = null } = change;
      const writes = new WriteSet();
      keys.add(idempotencyKey, response, webhookId);
      keys.addWrites(tx, writes);
      writes.send(tx);
      return { response, replayed: false };
    },
    // A repetition finds the stored response.
    { isRepeatable: idempotencyKey !== null },
  );
}
