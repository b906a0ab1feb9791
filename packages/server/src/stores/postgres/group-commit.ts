import {
  DomainError,
  OutcomeUnknownError,
  StoreUnavailableError,
} from '@tradepost/domain/kernel/errors';
import type { ChangeTrace } from '../store';
import { GroupFailed, type PostgresDatabase, type Transaction, toOutcomeUnknown } from './database';
import type { Pending } from './pending-changes';
import { lockTimeoutMs } from './pool';
import { translateError } from './postgres-errors';

/** A change that is written together with others. */
export interface GroupedChange {
  /** Names the row that it locks, such as `order ord_…`. Changes with one name are written in the same or in later transactions. */
  readonly row: string;
  /** Whether it may run again after it perhaps was committed, because it has no further effect then. */
  readonly isRepeatable: boolean;
}

/** What became of a change in a transaction: its result, an error that rejects it alone, or the row that another session has locked. */
export type Outcome<Result> = { result: Result } | { error: unknown } | { lockedRow: string };

/**
 * Writes changes in one transaction, each on what the ones before it left. Returns an outcome for each.
 *
 * @param waits Whether to wait for rows that other sessions have locked. Otherwise changes that need them are left out.
 */
export type WriteGroup<Change, Result> = (
  tx: Transaction,
  changes: readonly Change[],
  waits: boolean,
) => Promise<Outcome<Result>[]>;

/** What follows a table to lock rows by their IDs, in one order, so that no two transactions wait for each other. */
export const locking = (waits: boolean) =>
  `WHERE id = ANY ($1::text[]) ORDER BY id FOR NO KEY UPDATE${waits ? '' : ' SKIP LOCKED'}`;

/** A change with its trace, and the trace context that its deliveries store. */
export interface Traced<Change> {
  change: Change;
  traceContext: string | null;
}

/** A change that waits, or is being written. The types of its change and its result are those of `write`. */
interface Member extends Traced<GroupedChange> {
  write: WriteGroup<unknown, unknown>;
  trace: ChangeTrace | null;
  pending: Pending;
  /** Since when it has waited for a row. */
  blockedAt: number;
  /** Whether an earlier transaction of it was perhaps committed. */
  isCommitUnknown: boolean;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** How many changes may share a transaction. */
const largestGroup = 100;
/** How many transactions run at once that wait for no row: while one of them is committed, the next one is prepared. */
const maxGroups = 2;
/** The share of the connections that may wait for rows, each for another one. The rest is for all others. */
const shareThatWaits = 0.4;

/**
 * Commits changes together: those that arrive while a transaction runs form the next one. What a commit costs is paid once, and a
 * row that many changes share is locked and updated once for all of them.
 *
 * A group waits for no row that another session has locked. The changes that need one form a group of their own for each row,
 * which waits for it.
 */
export class GroupCommit {
  readonly #db: PostgresDatabase;
  /** The changes that wait for a transaction. */
  #waiting: Member[] = [];
  /** The changes that wait for a row that another session had locked, by its name. */
  readonly #blocked = new Map<string, Member[]>();
  /** The rows that running transactions of this process use. */
  readonly #busy = new Set<string>();
  readonly #unsettled = new Set<Member>();
  readonly #maxWaitingGroups: number;
  #groups = 0;
  #waitingGroups = 0;
  #isStarting = false;
  #onSettled: () => void = () => {};

  constructor(db: PostgresDatabase) {
    this.#db = db;
    this.#maxWaitingGroups = Math.max(1, Math.floor(db.maxConnections * shareThatWaits));
  }

  /**
   * Writes a change with others of the same kind. Resolves with its result once that is committed, or rejects with its error.
   *
   * @param write The same function for all changes of one kind.
   */
  add<Change extends GroupedChange, Result>(
    write: WriteGroup<Traced<Change>, Result>,
    change: Change,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const trace = this.#db.startTrace();
      const member: Member = {
        change,
        write: write as WriteGroup<unknown, unknown>,
        trace,
        traceContext: trace?.context ?? null,
        pending: this.#db.pending.add(),
        blockedAt: 0,
        isCommitUnknown: false,
        resolve: resolve as Member['resolve'],
        reject,
      };
      this.#unsettled.add(member);
      this.#waiting.push(member);
      this.#startSoon();
    });
  }

  /** Resolves when no change waits or is being written. */
  async settled(): Promise<void> {
    while (this.#unsettled.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onSettled = resolve;
      });
    }
  }

  /** Changes that arrive by the end of this turn of the event loop join the group. */
  #startSoon(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    setImmediate(() => {
      this.#isStarting = false;
      this.#start();
    });
  }

  #start(): void {
    while (this.#groups < maxGroups) {
      const group = this.#takeGroup();
      if (group.length === 0) break;
      this.#groups += 1;
      void this.#run(group, null).finally(() => {
        this.#groups -= 1;
        this.#startSoon();
      });
    }
    for (const [row, blocked] of this.#blocked) {
      if (this.#busy.has(row)) continue;
      this.#rejectOverdue(row, blocked);
      if (blocked.length === 0 || this.#waitingGroups === this.#maxWaitingGroups) continue;
      const group = blocked.splice(0, largestGroup);
      this.#waitingGroups += 1;
      void this.#run(group, row).finally(() => {
        this.#waitingGroups -= 1;
        this.#startSoon();
      });
    }
  }

  /** Takes the first changes of one kind that touch no row of a running transaction, and none that others wait for. */
  #takeGroup(): Member[] {
    const group: Member[] = [];
    const left: Member[] = [];
    for (const member of this.#waiting) {
      const { row } = member.change;
      const isFree =
        group.length < largestGroup &&
        !this.#busy.has(row) &&
        (group[0] ?? member).write === member.write;
      if (this.#blocked.has(row)) this.#block(row, member);
      else (isFree ? group : left).push(member);
    }
    this.#waiting = left;
    return group;
  }

  /** @param row The row that it waits for; null if it waits for none. */
  async #run(group: Member[], row: string | null): Promise<void> {
    const rows = new Set(row === null ? group.map(({ change }) => change.row) : [row]);
    for (const name of rows) this.#busy.add(name);
    await this.#writeOrSplit(group, row !== null);
    for (const name of rows) this.#busy.delete(name);
    if (row !== null) this.#unblock(row);
  }

  #block(row: string, member: Member): void {
    const blocked = this.#blocked.get(row) ?? [];
    this.#blocked.set(row, blocked);
    blocked.push(member);
    member.blockedAt = performance.now();
    this.#db.pending.remove(member.pending);
  }

  /** Moves the changes that still wait for a row before all others: a group of theirs has just had its lock. */
  #unblock(row: string): void {
    const members = this.#blocked.get(row) ?? [];
    for (const member of members) member.pending = this.#db.pending.add();
    this.#waiting.unshift(...members);
    this.#blocked.delete(row);
  }

  /** Rejects changes that have waited too long for a row. */
  #rejectOverdue(row: string, blocked: Member[]): void {
    const since = performance.now() - lockTimeoutMs;
    for (const member of blocked.splice(0)) {
      if (member.blockedAt >= since) blocked.push(member);
      else {
        const error = new StoreUnavailableError(
          `PostgreSQL: another session has locked the ${row}.`,
        );
        this.#settle(member, { error });
      }
    }
    if (blocked.length === 0) this.#blocked.delete(row);
  }

  /**
   * Writes a group, and settles its members. If its transaction fails, one of them may be the cause: they are written one by one. If
   * its commit was perhaps made, those that may be repeated are, and all others rejected.
   */
  async #writeOrSplit(group: Member[], waits: boolean): Promise<void> {
    let outcomes: Outcome<unknown>[];
    try {
      outcomes = await this.#writeGroup(group, waits);
    } catch (error) {
      const repeatable = group.filter(({ change }) => change.isRepeatable);
      if (error instanceof OutcomeUnknownError && repeatable.length < group.length) {
        for (const member of group) {
          if (!member.change.isRepeatable) this.#settle(member, { error });
        }
        if (repeatable.length > 0) await this.#writeOrSplit(repeatable, true);
      } else if (group.length > 1 && isOfOne(error, waits)) {
        for (const member of group) await this.#writeOrSplit([member], true);
      } else {
        const shown = error instanceof GroupFailed ? translateError(error.cause) : error;
        for (const member of group) this.#settle(member, { error: shown });
      }
      return;
    }
    for (const [index, outcome] of outcomes.entries()) {
      const member = group[index] as Member;
      if ('lockedRow' in outcome) this.#block(outcome.lockedRow, member);
      else this.#settle(member, outcome);
    }
  }

  async #writeGroup(group: Member[], waits: boolean): Promise<Outcome<unknown>[]> {
    const [{ write }] = group as [Member];
    return await this.#db.writeTraced(
      (tx) => write(tx, group, waits),
      group.flatMap(({ trace }) => trace ?? []),
      group.length,
      {
        isRepeatable: group.every(({ change }) => change.isRepeatable),
        takesTime: true,
        isGroup: group.length > 1,
        onCommitUnknown() {
          for (const member of group) member.isCommitUnknown = true;
        },
      },
    );
  }

  #settle(member: Member, outcome: { result: unknown } | { error: unknown }): void {
    const { trace, pending, isCommitUnknown } = member;
    this.#unsettled.delete(member);
    if ('result' in outcome) {
      this.#db.pending.end(pending);
      trace?.end();
      member.resolve(outcome.result);
    } else {
      const isDecided = outcome.error instanceof DomainError;
      this.#db.pending[isDecided ? 'end' : 'remove'](pending);
      const isUnknown = isCommitUnknown && outcome.error instanceof StoreUnavailableError;
      const error = isUnknown ? toOutcomeUnknown(outcome.error) : outcome.error;
      trace?.end(error);
      member.reject(error);
    }
    if (this.#unsettled.size === 0) this.#onSettled();
  }
}

/** Whether one change may be the reason why the transaction of a group failed, so that the others succeed without it. */
function isOfOne(error: unknown, waits: boolean): boolean {
  // All that wait for a row get a lock timeout.
  if (error instanceof GroupFailed) return !(waits && error.isLockTimeout);
  return !(error instanceof StoreUnavailableError);
}
