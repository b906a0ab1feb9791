import { systemClock } from '@tradepost/domain/kernel/context';
import pg from 'pg';
import type { Logger } from 'pino';
import { throttle } from '../../kernel/throttle';
import type { DatabaseServer } from '../store';
import { describeHost } from './connection-url';
import { RejectedServerError } from './postgres-errors';

/**
 * The history of the database on a server that is not a standby, such as `7712859104579132062/00000002`: its cluster, and its timeline
 * in hexadecimal digits. A standby that is promoted starts a higher timeline, in which what was not replicated did not happen.
 */
export const selectTimeline = `(SELECT system_identifier FROM pg_control_system()) || '/' ||
  substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`;

/** How long a host may take to say which timeline it has, in milliseconds. */
const askTimeoutMs = 1_000;
/** How often the other hosts are asked while connections lead to the same server, in milliseconds. */
const askIntervalMs = 10_000;

/** A server, and its history. */
interface Server {
  host: string;
  timeline: string;
}

function parseTimeline(timeline: string): { cluster: string; number: number } {
  const [cluster = '', digits = ''] = timeline.split('/');
  return { cluster, number: Number.parseInt(digits, 16) };
}

function describe({ host, timeline }: Server): DatabaseServer {
  return { host, timeline: parseTimeline(timeline).number };
}

/** Connects to a host, and returns what it has; null if it is a standby or does not respond. */
async function ask(config: pg.ClientConfig): Promise<Server | null> {
  const timeouts = { connectionTimeoutMillis: askTimeoutMs, query_timeout: askTimeoutMs };
  const client = new pg.Client({ ...config, ...timeouts });
  // Without a listener, the end of the connection would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: string }>(
      `SELECT ${selectTimeline} AS timeline WHERE NOT pg_is_in_recovery()`,
    );
    const [row] = rows;
    return row === undefined ? null : { host: describeHost(client), timeline: row.timeline };
  } catch {
    return null;
  } finally {
    client.end().catch(() => {});
  }
}

/**
 * Keeps connections from an old primary server that is started again after a failover: it would accept changes, which the new one does
 * not have. It is known by its timeline, which is lower than the highest one that this process has met, or that another host of the
 * URL has.
 */
export class Timelines {
  readonly #listOthers: (hostNumber: number) => pg.ClientConfig[];
  readonly #log: Logger;
  readonly #logRejected: (server: Server) => void;
  #highest: string | null = null;
  #used: Server | null = null;
  #asking: Promise<void> | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** @param listOthers Returns the settings of connections to all hosts of the URL except one. */
  constructor(listOthers: (hostNumber: number) => pg.ClientConfig[], log: Logger) {
    this.#listOthers = listOthers;
    this.#log = log;
    this.#logRejected = throttle<Server>(systemClock, (_, server) =>
      log.error(
        { ...describe(server), highest: this.#highestNumber },
        'an old primary server of PostgreSQL accepts changes',
      ),
    );
  }

  /** The server that the last new connection led to; null before the first one, and if the database has no timelines. */
  get used(): DatabaseServer | null {
    return this.#used && describe(this.#used);
  }

  /**
   * The statement that follows `BEGIN` behind a pooler, where each transaction may be on another server. It returns the timeline; on an
   * old primary server, the transaction may only read.
   */
  get guard(): string {
    const [cluster = ''] = this.#highest?.split('/') ?? [];
    return `SELECT timeline, CASE
        WHEN starts_with(timeline, '${cluster}/') AND timeline COLLATE "C" < '${this.#highest}'
        THEN set_config('transaction_read_only', 'on', TRUE) END
      FROM (SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE ${selectTimeline} END AS timeline) AS server`;
  }

  /**
   * Returns whether a connection may still be used: no higher timeline than its own is known. Now and then, this asks the other hosts
   * of the URL for theirs.
   */
  allows({ timeline, hostNumber }: { timeline: string | null; hostNumber: number }): boolean {
    if (timeline === null) return true;
    void this.#askOthers(hostNumber, askIntervalMs);
    return !this.#isOutdated(timeline);
  }

  #isOutdated(timeline: string): boolean {
    if (this.#highest === null || timeline === this.#highest) return false;
    const [own, highest] = [parseTimeline(timeline), parseTimeline(this.#highest)];
    // Another cluster is another database, perhaps one that this one was moved to.
    return own.cluster === highest.cluster && own.number < highest.number;
  }

  /**
   * Decides whether a new connection may be used. If it leads to another server than the one before, this asks the other hosts first.
   *
   * @throws RejectedServerError if it leads to an old primary server.
   */
  async admit(server: Server, hostNumber: number): Promise<void> {
    const before = this.#used;
    const isSame = before?.host === server.host && before.timeline === server.timeline;
    this.#learn(server.timeline);
    if (!isSame) await this.#askOthers(hostNumber, 0);
    const { host, timeline } = describe(server);
    if (this.#isOutdated(server.timeline)) {
      this.#logRejected(server);
      throw new RejectedServerError(
        `${host} is an old primary server: it has timeline ${timeline} of the database, and timeline ${this.#highestNumber} was started.`,
        'Stop it, or make it a standby of the new primary server with pg_rewind.',
      );
    }
    if (isSame) return;
    this.#used = server;
    if (before === null) this.#log.info({ host, timeline }, 'connected to PostgreSQL');
    else {
      this.#log.warn(
        { host, timeline, before: describe(before) },
        'PostgreSQL connections lead to another server or timeline',
      );
    }
  }

  /** Resolves when no host is being asked. */
  async settled(): Promise<void> {
    await this.#asking;
  }

  get #highestNumber(): number {
    return parseTimeline(this.#highest ?? '').number;
  }

  #learn(timeline: string): void {
    if (!this.#isOutdated(timeline)) this.#highest = timeline;
  }

  /** Learns the timelines of all hosts except one, unless they were asked a short time ago. */
  async #askOthers(hostNumber: number, intervalMs: number): Promise<void> {
    const now = performance.now();
    if (this.#asking === null && now - this.#askedAt >= intervalMs) {
      this.#askedAt = now;
      const asked = this.#listOthers(hostNumber).map(async (config) => {
        const server = await ask(config);
        if (server === null) return;
        this.#learn(server.timeline);
        if (this.#isOutdated(server.timeline)) this.#logRejected(server);
      });
      this.#asking = Promise.all(asked).then(() => {
        this.#asking = null;
      });
    }
    await this.#asking;
  }
}
