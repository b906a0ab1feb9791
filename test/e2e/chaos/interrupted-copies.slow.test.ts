import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkout, tradepostServerBin } from '../../helpers/programs';
import { seedDatabase } from '../../helpers/seed';
import { type Exit, runProcess } from '../../helpers/start-process';
import { type TemporaryFolder, temporaryFolder } from '../../helpers/temporary-folder';

const largeEvents = 5_000;
/** Where a copy is killed: as calls of the process after it created the unfinished file, which it copies in two steps. */
const killPoints = [
  ['before it copies', 'setImmediate:1'],
  ['half copied', 'setImmediate:3'],
  ['before it is on the disk', 'fsyncSync:1'],
  ['before it is renamed', 'renameSync:1'],
] as const;
/** Just after the file was renamed, its folder is written to the disk. */
const afterRename = 'fsyncSync:2';
/** In blocks of 512 bytes: less than a seeded database. */
const fileSizeLimit = 100;

let folder: TemporaryFolder;
let database: string;
let backup: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  database = join(folder.path, 'tradepost.db');
  backup = join(folder.path, 'backup.db');
  await seedDatabase(database);
  return () => folder.remove();
});

/** Adds 20 MB, so that copying takes a while. */
function enlarge(file: string): void {
  const connection = new Database(file);
  const insert = connection.prepare(
    "INSERT INTO events (id, event_type, order_id, body, created_at) VALUES (?, 'order.created', NULL, ?, 1)",
  );
  const body = JSON.stringify({ text: 'x'.repeat(4_000) });
  connection.transaction(() => {
    for (let count = 0; count < largeEvents; count += 1) insert.run(`evt_${count}`, body);
  })();
  connection.close();
}

const digest = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Returns a digest of all rows of a database. */
function readContents(file: string): string {
  const connection = new Database(file);
  const tables = connection
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
  const hash = createHash('sha256');
  for (const table of tables) {
    hash.update(JSON.stringify(connection.prepare(`SELECT * FROM ${table}`).all()));
  }
  connection.close();
  return hash.digest('hex');
}

const list = () => readdirSync(folder.path).sort();

function runOperator(...args: string[]): Promise<Exit> {
  return runProcess(process.execPath, [tradepostServerBin, ...args, '--database', database]);
}

/** Runs a command with a limit on the size of the files that it writes, as on a disk without space. */
function runWithoutSpace(...args: string[]): Promise<Exit> {
  const command = [process.execPath, tradepostServerBin, ...args, '--database', database];
  const script = `ulimit -f ${fileSizeLimit} && exec "$@"`;
  return runProcess('sh', ['-c', script, 'sh', ...command]);
}

/** Runs a command that gets a signal at a certain call. */
function interrupt(signal: NodeJS.Signals, call: string, ...args: string[]): Promise<Exit> {
  const preload = join(checkout, 'test/helpers/signal-at-call.mjs');
  const command = ['--import', preload, tradepostServerBin, ...args, '--database', database];
  return runProcess(process.execPath, command, { env: { SIGNAL_AT: `${signal}:${call}` } });
}

describe('backup', () => {
  it.each(killPoints)(
    'leaves the old file if it is killed %s, and the next one removes the rest',
    async (_when, call) => {
      await runOperator('backup', backup);
      const old = digest(backup);
      enlarge(database);
      expect(await interrupt('SIGKILL', call, 'backup', backup, '--force')).toMatchObject({
        signal: 'SIGKILL',
      });
      expect(list().filter((name) => name.endsWith('.partial'))).toHaveLength(1);
      expect(digest(backup)).toBe(old);
      expect(await runOperator('backup', backup, '--force')).toMatchObject({ code: 0 });
      expect(list()).toEqual(['backup.db', 'tradepost.db']);
      expect(digest(backup)).not.toBe(old);
    },
  );

  it('removes its unfinished file when SIGTERM stops it', async () => {
    enlarge(database);
    const exit = await interrupt('SIGTERM', 'setImmediate:1', 'backup', backup);
    expect(exit).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: 'error: Stopped by SIGTERM. Nothing was changed.\n',
    });
    expect(list()).toEqual(['tradepost.db']);
  });

  it('leaves nothing if it cannot be written completely', async () => {
    const exit = await runWithoutSpace('backup', backup);
    expect(exit).toMatchObject({ code: 1, stdout: '' });
    expect(exit.stderr).toMatch(
      /^error: Cannot write \S+\/backup\.db: .+ Nothing was changed\.\n$/,
    );
    expect(list()).toEqual(['tradepost.db']);
  });
});

describe('restore', () => {
  it.each(killPoints)('leaves the old database if it is killed %s', async (_when, call) => {
    await runOperator('backup', backup);
    enlarge(backup);
    const old = readContents(database);
    expect(await interrupt('SIGKILL', call, 'restore', backup, '--force')).toMatchObject({
      signal: 'SIGKILL',
    });
    expect(list().filter((name) => name.endsWith('.partial'))).toHaveLength(1);
    // Not the bytes: just before the rename, the old file leaves WAL mode.
    expect(readContents(database)).toBe(old);
    expect(await runOperator('check')).toMatchObject({ code: 0 });
    expect(await runOperator('restore', backup, '--force')).toMatchObject({ code: 0 });
    expect(list()).toEqual(['backup.db', 'tradepost.db']);
    expect(readContents(database)).toBe(readContents(backup));
  });

  it('leaves the new database if it is killed after it was renamed', async () => {
    await runOperator('backup', backup);
    enlarge(backup);
    expect(await interrupt('SIGKILL', afterRename, 'restore', backup, '--force')).toMatchObject({
      signal: 'SIGKILL',
    });
    expect(list()).toEqual(['backup.db', 'tradepost.db']);
    expect(readContents(database)).toBe(readContents(backup));
    expect(await runOperator('check')).toMatchObject({ code: 0 });
  });

  it('leaves the old database if the new one cannot be written completely', async () => {
    await runOperator('backup', backup);
    const old = digest(database);
    const exit = await runWithoutSpace('restore', backup, '--force');
    expect(exit).toMatchObject({ code: 1, stdout: '' });
    expect(exit.stderr).toMatch(
      /^error: Cannot write \S+\/tradepost\.db: .+ Nothing was changed\.\n$/,
    );
    expect(list()).toEqual(['backup.db', 'tradepost.db']);
    expect(digest(database)).toBe(old);
  });
});
