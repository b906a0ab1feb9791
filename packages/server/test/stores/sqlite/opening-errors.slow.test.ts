import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type * as current from '../../../src/stores/sqlite/migrations/migrations';
import { translateOpeningError } from '../../../src/stores/sqlite/sqlite-errors';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../../helpers/temp-folder';
import { inspectFile, readContents } from './inspect-file';

vi.mock('../../../src/stores/sqlite/migrations/migrations', async (load) => {
  const { addNotes } = await import('./migrations');
  return { migrations: addNotes((await load<typeof current>()).migrations) };
});

/** Returns the message of the error that opening a file fails with. */
function getMessage(open: () => unknown): string {
  try {
    open();
  } catch (error) {
    expect(error).toBeInstanceOf(StoreUnavailableError);
    return (error as Error).message;
  }
  throw new Error('it was opened');
}

/** A database without a write-ahead log. */
async function createDatabase(): Promise<string> {
  const file = tempFile();
  await openSqliteStore(file).close();
  inspectFile(file, (connection) => connection.pragma('journal_mode = DELETE'));
  return file;
}

const systemError = (code: string) => Object.assign(new Error(code), { code, syscall: 'open' });

describe('the error for a database that cannot be opened', () => {
  test.each([
    [
      'is damaged',
      new Database.SqliteError('malformed', 'SQLITE_CORRUPT'),
      'Run `tradepost-server check`, or restore a backup.',
    ],
    [
      'is no database',
      new Database.SqliteError('file is not a database', 'SQLITE_NOTADB'),
      'Run `tradepost-server check`, or restore a backup.',
    ],
    [
      'is on a full disk',
      new Database.SqliteError('full', 'SQLITE_FULL'),
      'Free space on its disk.',
    ],
    ['cannot be created on a full disk', systemError('ENOSPC'), 'Free space on its disk.'],
    [
      'is read-only',
      new Database.SqliteError('readonly', 'SQLITE_READONLY_DIRECTORY'),
      'Check the permissions of the file and its folder.',
    ],
    ['may not be read', systemError('EACCES'), 'Check the permissions of the file and its folder.'],
    [
      'is locked',
      new Database.SqliteError('database is locked', 'SQLITE_BUSY'),
      'Another process is writing to it. Try again.',
    ],
    [
      'is on a disk with faults',
      new Database.SqliteError('io', 'SQLITE_IOERR_READ'),
      'Check its disk.',
    ],
    ['is in a missing folder', systemError('ENOENT'), 'Check the path.'],
    [
      'is elsewhere',
      new Database.SqliteError('unable to open database file', 'SQLITE_CANTOPEN'),
      'Check the path.',
    ],
  ])('says what to do if it %s', (_what, cause, advice) => {
    const file = tempFile();
    const error = translateOpeningError(file, cause) as Error;
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error.message).toContain(`Cannot open the database ${file}: ${cause.message}`);
    expect(error.message.endsWith(`. ${advice}`)).toBe(true);
    expect(error.message).not.toContain('--database');
  });

  test('does not say that a path does not exist which cannot be looked up', () => {
    const folder = dirname(tempFile());
    const loop = join(folder, 'loop');
    symlinkSync('loop', loop);
    for (const path of [join(folder, 'x'.repeat(300)), join(loop, 'tradepost.db')]) {
      for (const options of [{ mustExist: true }, { readOnly: true }, {}]) {
        const message = getMessage(() => openSqliteStore(path, options));
        expect(message).toMatch(
          /^Cannot (open the database|read) .+ (ENAMETOOLONG|ELOOP).+ Check the path\.$/s,
        );
      }
    }
  });

  test('names a folder in place of a database', () => {
    const file = tempFile();
    mkdirSync(file);
    expect(getMessage(() => openSqliteStore(file))).toMatch(
      /^Cannot open the database .+ Check the path\.$/,
    );
  });

  test('says that another process writes to it', async () => {
    const file = await createDatabase();
    const other = new Database(file);
    onTestFinished(() => void other.close());
    other.exec('BEGIN EXCLUSIVE');
    expect(getMessage(() => openSqliteStore(file))).toBe(
      `Cannot open the database ${file}: database is locked (SQLITE_BUSY). Another process is writing to it. Try again.`,
    );
  }, 60_000);

  test('advises to check a file that is not a database', () => {
    const file = tempFile();
    writeFileSync(file, 'coffee, tea, and other things that are no database\n'.repeat(100));
    expect(getMessage(() => openSqliteStore(file))).toBe(
      `Cannot open the database ${file}: file is not a database (SQLITE_NOTADB). Run \`tradepost-server check\`, or restore a backup.`,
    );
  });
});

test('a migration that fails changes nothing, and its error names the version', async () => {
  const file = await createDatabase();
  // The schema is newer than its version says.
  inspectFile(file, (connection) => connection.pragma('user_version = 1'));
  const before = readContents(file);
  expect(getMessage(() => openSqliteStore(file))).toMatch(
    /^Cannot migrate the database .+ from schema version 1: [\w ]+\. Nothing was changed\. .+ Run `tradepost-server check`, or restore a backup\.$/,
  );
  expect(inspectFile(file, (db) => db.pragma('user_version', { simple: true }))).toBe(1);
  expect(readContents(file)).toEqual(before);
  expect(readFileSync(file).length).toBeGreaterThan(0);
});
