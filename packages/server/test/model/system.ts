import type { Store } from '../../src/stores/store';
import type { ReusedDatabases } from '../helpers/postgres';
import type { Call } from './call';
import type { Operation } from './operator-model';
import type { ReceiverBehavior } from './state';
import type { SteppedClock } from './stepped-clock';

/** A response of the system under test. */
export interface ActualReply {
  status: number;
  headers: { location?: string; etag?: string; replayed?: boolean; changed?: string };
  body: unknown;
}

/** An attempt in flight, as it was sent. */
export interface SentAttempt {
  url: string;
  /** The request headers, with names in lower case, as `GET /v1/deliveries/:id` shows them. */
  headers: Record<string, string>;
  body: string;
  /** Returns what is wrong with its signatures by these secrets; null if they are right. */
  checkSignatures(secret: string, stagedSecret: string | null): Promise<string | null>;
}

/** The end of an attempt, as it was recorded. */
export interface FinishedAttempt {
  sent: SentAttempt;
  /** As it was recorded. */
  startedAt: number;
  /** Measured in real time, if the attempt was real. */
  durationMs: number;
}

/** The system under test, with a clock that the test advances and without jitter. */
export interface System {
  /** The URLs of its receivers. */
  urls: readonly string[];
  clock: SteppedClock;
  /** Whether changes run one after another. Otherwise they may overlap: see `Overlap`. */
  isSerial: boolean;
  call(call: Call): Promise<ActualReply>;
  /** Reads what an account would see if it were not suspended. */
  inspect(call: Call): Promise<ActualReply>;
  /** Runs an operator's command. */
  operate(operation: Operation): Promise<unknown>;
  /** Fails overdue deliveries. */
  sweep(): Promise<void>;
  /** Returns the IDs of the webhooks that housekeeping would disable now. */
  findFailing(): Promise<string[]>;
  /**
   * Sends the deliveries that are due, and returns them while their receivers have not responded.
   *
   * @param count How many are expected.
   */
  send(count: number): Promise<SentAttempt[]>;
  /** Lets the receivers respond to everything in flight. Returns the attempts in the order in which they were recorded. */
  respond(behavior: (url: string) => ReceiverBehavior): Promise<FinishedAttempt[]>;
  close(): Promise<void>;
}

/** Returns a store whose accounts are never suspended. */
export function withoutSuspensions<Inner extends Pick<Store, 'accounts'>>(store: Inner): Inner {
  const { accounts } = store;
  const findKeyByHash: typeof accounts.findKeyByHash = async (hash) => {
    const key = await accounts.findKeyByHash(hash);
    return key && { ...key, suspendedAt: null };
  };
  return { ...store, accounts: { ...accounts, findKeyByHash } };
}

/** Fails all overdue deliveries of a store, as housekeeping does. */
export async function failOverdue(
  { deliveries }: Pick<Store, 'deliveries'>,
  now: number,
): Promise<void> {
  while ((await deliveries.failOverdue({ now, limit: 3 })) > 0);
}

/** Returns a function that starts systems, each on a database of its own, which is used again after the system was closed. */
export function startOnDatabases(
  databases: Pick<ReusedDatabases, 'take'>,
  start: (now: number, database: string) => Promise<System>,
): (now: number) => Promise<System> {
  return async (now) => {
    const { url, remove } = await databases.take();
    const system = await start(now, url);
    return {
      ...system,
      async close() {
        await system.close();
        await remove();
      },
    };
  };
}
