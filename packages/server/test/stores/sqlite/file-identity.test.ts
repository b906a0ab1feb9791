import {
  copyFileSync,
  existsSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readFileId } from '../../../src/stores/sqlite/database';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../../helpers/temp-folder';
import { Trade } from '../../helpers/trade';

let file: string;
let trade: Trade;

beforeEach(async () => {
  file = tempFile();
  const store = openSqliteStore(file);
  onTestFinished(() => store.close());
  trade = await Trade.open(store);
});

/** What can happen to a database's files while a server has them open. */
const losses: [what: string, lose: () => void][] = [
  ['deleted', () => rmSync(file)],
  ['deleted with its log', () => [file, `${file}-wal`].map((path) => rmSync(path))],
  [
    'replaced by a copy',
    () => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
  ],
  [
    'replaced by an empty file',
    () => {
      rmSync(file);
      writeFileSync(file, '');
    },
  ],
  ['left without its log', () => rmSync(`${file}-wal`)],
  ['left without its shared memory', () => rmSync(`${file}-shm`)],
];

describe('a database file that is removed while it is open', () => {
  test.each(losses)('rejects every change once it is %s', async (_what, lose) => {
    await trade.place();
    lose();
    const changes = [trade.place(), trade.place(), trade.store.accounts.revokeKey('key_1', 1)];
    for (const change of await Promise.allSettled(changes)) {
      expect(change).toMatchObject({ status: 'rejected' });
      expect((change as PromiseRejectedResult).reason).toBeInstanceOf(StoreUnavailableError);
    }
    await expect(trade.place()).rejects.toThrow(/was deleted or replaced/);
    await expect(trade.store.check()).rejects.toThrow(StoreUnavailableError);
    // This read may be out of date; later ones are not.
    await expect(trade.store.orders.findOrder('ord_1')).rejects.toThrow(StoreUnavailableError);
  });

  test('is not created again if an existing file is expected', () => {
    const expectedFile = readFileId(file) ?? '';
    rmSync(file);
    expect(() => openSqliteStore(file, { expectedFile })).toThrow(StoreUnavailableError);
    expect(existsSync(file)).toBe(false);
  });

  test('is distinguished from another one in its place', async () => {
    const expectedFile = readFileId(file) ?? '';
    const other = tempFile();
    await openSqliteStore(other).close();
    renameSync(other, file);
    expect(() => openSqliteStore(file, { expectedFile })).toThrow(/was deleted or replaced/);
  });

  test('is not written when another file is in its place', async () => {
    const expectedFile = readFileId(file) ?? '';
    rmSync(file);
    writeFileSync(file, '');
    expect(() => openSqliteStore(file, { expectedFile })).toThrow(StoreUnavailableError);
    expect(statSync(file).size).toBe(0);
  });

  test('is detected behind a link, too', async () => {
    const target = tempFile();
    await openSqliteStore(target).close();
    const link = tempFile();
    symlinkSync(target, link);
    const store = openSqliteStore(link);
    onTestFinished(() => store.close());
    await Trade.open(store);
    rmSync(`${target}-wal`);
    await expect(store.check()).rejects.toThrow(/-wal was deleted or replaced/);
  });

  test('is used again once it is restored, with nothing lost', async () => {
    const first = await trade.place();
    renameSync(file, `${file}.away`);
    await expect(trade.place()).rejects.toThrow(StoreUnavailableError);
    renameSync(`${file}.away`, file);
    const second = await trade.place();
    await trade.store.check();
    const found = await Promise.all(
      [first, second].map(({ id }) => trade.store.orders.findOrder(id)),
    );
    expect(found).toEqual([first, second]);
  });
});
