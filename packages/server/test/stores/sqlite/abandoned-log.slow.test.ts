import {
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { beforeEach, describe, expect, test } from 'vitest';
import { openForReading } from '../../../src/stores/sqlite/open-connection';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { Child } from '../../helpers/child';
import { tempFile } from '../../helpers/temp-folder';
import { checkIntegrity, inspectFile, sound } from './inspect-file';

let file: string;
/** A process that commits all the time. */
let child: Child;
/** How many of its commits are known to be on the disk. */
let committed: number;

beforeEach(async () => {
  file = tempFile();
  await openSqliteStore(file).close();
  child = new Child(new URL('./writing-process.ts', import.meta.url), file);
  committed = Number(await child.readLine());
});

function readCount(): number {
  return inspectFile(file, (connection) =>
    Number(
      connection
        .prepare("SELECT json_extract(body, '$.count') FROM events WHERE id = 'evt_last'")
        .pluck()
        .get(),
    ),
  );
}

const ways: [what: string, open: () => unknown][] = [
  ['a command that creates a database', () => openSqliteStore(file)],
  ['a command that needs one', () => openSqliteStore(file, { mustExist: true })],
  ['a command that only reads', () => openForReading(file)],
];

/** Expects that nothing opens the file, and that its log stays. */
function expectRejected(): void {
  for (const [what, open] of ways) {
    expect(open, what).toThrow(StoreUnavailableError);
    expect(open, what).toThrow(
      `but ${file}-wal ${existsSync(file) ? 'is not' : 'does'}: it has changes of a database that was moved or deleted`,
    );
    expect(open, what).toThrow(`Put the file back. If it is lost, stop all servers that use it`);
  }
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
}

describe('the log of a database that was moved away', () => {
  test.each(['a process that runs', 'a process that was killed'])(
    'keeps the changes of %s until the file is back',
    async (what) => {
      if (what === 'a process that was killed') await child.crash();
      renameSync(file, `${file}.away`);
      expectRejected();
      expect(existsSync(file)).toBe(false);
      renameSync(`${file}.away`, file);
      await openSqliteStore(file).close();
      expect(readCount()).toBeGreaterThanOrEqual(committed);
      expect(checkIntegrity(file)).toEqual(sound);
    },
  );

  test('is not discarded for an empty file in its place', async () => {
    await child.crash();
    renameSync(file, `${file}.away`);
    writeFileSync(file, '');
    expectRejected();
    renameSync(`${file}.away`, file);
    expect(readCount()).toBeGreaterThanOrEqual(committed);
  });

  test('is found beside the missing target of a symbolic link', async () => {
    await child.crash();
    const link = join(dirname(tempFile()), 'link.db');
    symlinkSync(file, link);
    renameSync(file, `${file}.away`);
    const open = () => openSqliteStore(link, { mustExist: true });
    expect(open).toThrow(`${link} does not exist, but ${file}-wal does`);
  });
});

describe('an empty log without a database', () => {
  beforeEach(async () => {
    await child.crash();
    rmSync(file);
    writeFileSync(`${file}-wal`, '');
  });

  test('does not keep a new database from being created', async () => {
    await openSqliteStore(file).close();
    expect(checkIntegrity(file)).toEqual(sound);
  });

  test('does not hide that the path is a folder', () => {
    mkdirSync(file);
    expect(() => openSqliteStore(file)).toThrow(`Cannot open the database ${file}`);
  });
});
