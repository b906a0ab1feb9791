import type { Order } from '../../features/orders/order';
import type { CommandContext } from '../../kernel/context';
import type { SqliteDatabase } from './database';

/** How far a time is corrected at most, in milliseconds. If it is off by more, the clock was set back. */
const maxCorrectionMs = 60_000;

const roles = ['buyer', 'seller', 'agent'];

/** The latest change of the orders of an account, which has one of the three roles. One entry of an index for each. */
const selectLatest = `SELECT max(at) AS at FROM (${roles
  .map(
    (role) =>
      `SELECT max(updated_at) AS at FROM orders INDEXED BY orders_of_${role}_by_update WHERE ${role}_id = ?`,
  )
  .join(' UNION ALL ')})`;

/**
 * Gives each change of an order a time that is later than those of all changes of orders of the same accounts that were committed
 * before. So a client that continues a list from the latest time that it got misses none, although the time was taken before the
 * change waited for its turn, another process may have been first, and a millisecond may have several changes.
 */
export class ChangeTimes {
  readonly #db: SqliteDatabase;
  /** The first time that is left for each account in this transaction, whose own changes appear together. */
  readonly #firstTimes = new Map<string, number>();
  #transaction = -1;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  /** Returns the context of a change with its time. Call inside a write, before anything is written about these accounts. */
  correct(
    context: CommandContext,
    {
      buyerId,
      sellerId,
      agentId,
    }: Pick<Order, 'agentId'> & Record<'buyerId' | 'sellerId', string | null>,
  ): CommandContext {
    if (context.at === undefined) return context;
    const parties = [buyerId, sellerId, agentId].filter((id) => id !== null);
    const first = Math.max(...parties.map((id) => this.#findFirstTime(id)));
    const isCorrected = first > context.now && first <= context.now + maxCorrectionMs;
    return isCorrected ? context.at(first) : context;
  }

  #findFirstTime(accountId: string): number {
    const { transaction } = this.#db;
    if (transaction !== this.#transaction) this.#firstTimes.clear();
    this.#transaction = transaction;
    const known = this.#firstTimes.get(accountId);
    if (known !== undefined) return known;
    const latest =
      this.#db.get<{ at: number | null }>(selectLatest, ...roles.map(() => accountId))?.at ?? -1;
    this.#firstTimes.set(accountId, latest + 1);
    return latest + 1;
  }
}
