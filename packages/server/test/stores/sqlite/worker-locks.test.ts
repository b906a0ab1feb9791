import { readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { leaseMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../../src/stores/store';
import { Child } from '../../helpers/child';
import { leaseDue } from '../../helpers/leasing';
import { tempFile } from '../../helpers/temp-folder';
import { Trade } from '../../helpers/trade';

const program = new URL('./worker-process.ts', import.meta.url);
const deliveryCount = 3;

let file: string;
let store: Store;

beforeEach(async () => {
  file = tempFile();
  store = openSqliteStore(file);
  onTestFinished(() => store.close());
  const trade = await Trade.open(store);
  await trade.subscribe(trade.buyer, ['order.created']);
  for (let placed = 0; placed < deliveryCount; placed += 1) await trade.place({ now: noon });
});

/** Starts a process whose worker leases all deliveries. */
async function startWorker(where: 'process' | 'thread' = 'process', path = file): Promise<Child> {
  const child = new Child(program, where, path);
  expect(await child.readLine()).toBe(String(deliveryCount));
  return child;
}

function listLockFiles(): string[] {
  const folder = dirname(file);
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(file)}-worker-`))
    .map((name) => join(folder, name));
}

const release = () => store.deliveries.releaseDeadLeases(noon + 1);

/** Checks that nothing is due before the leases end. */
async function expectLeased(): Promise<void> {
  expect(await release()).toBe(0);
  expect(await leaseDue(store, noon + leaseMs - 1)).toEqual([]);
}

describe('the leases of another process', () => {
  test('are released when it was killed, and its lock file is removed', async () => {
    const child = await startWorker();
    expect(listLockFiles()).toHaveLength(1);
    await expectLeased();
    await child.crash();
    expect(await release()).toBe(deliveryCount);
    expect(listLockFiles()).toEqual([]);
    expect(await leaseDue(store, noon + 1)).toHaveLength(deliveryCount);
  });

  test('stay while it is stopped by a signal, until it is killed', async () => {
    const child = await startWorker();
    child.signal('SIGSTOP');
    await expectLeased();
    await child.crash();
    expect(await release()).toBe(deliveryCount);
  });

  test('stay while a third process has died', async () => {
    await startWorker();
    const idle = new Child(program, 'process', file);
    expect(await idle.readLine()).toBe('0');
    await idle.crash();
    await expectLeased();
    expect(listLockFiles()).toHaveLength(1);
  });

  test('are released when only the thread with its worker has died', async () => {
    const child = await startWorker('thread');
    await expectLeased();
    child.write('fail');
    expect(await child.readLine()).toBe('the thread ended');
    expect(await release()).toBe(deliveryCount);
  });

  test('are released once if two workers notice its death', async () => {
    const child = await startWorker();
    const second = openSqliteStore(file);
    onTestFinished(() => second.close());
    await child.crash();
    const counts = await Promise.all([release(), second.deliveries.releaseDeadLeases(noon + 1)]);
    expect(counts.sort()).toEqual([0, deliveryCount]);
  });

  test('are released if it opened the database through a symbolic link', async () => {
    const link = join(dirname(tempFile()), 'link.db');
    symlinkSync(file, link);
    const child = await startWorker('process', link);
    await child.crash();
    expect(await release()).toBe(deliveryCount);
  });

  test('stay if its lock file was deleted, since its end cannot be known', async () => {
    const child = await startWorker();
    for (const path of listLockFiles()) rmSync(path);
    await expectLeased();
    await child.crash();
    await expectLeased();
    expect(await leaseDue(store, noon + leaseMs)).toHaveLength(deliveryCount);
  });

  test('stay if it may run under another kernel; its lock file is removed when they have run out', async () => {
    const child = await startWorker();
    await child.crash();
    const [path = ''] = listLockFiles();
    const other = path.replace(/-worker-.{12}-/, '-worker-000000000000-');
    renameSync(path, other);
    const { deliveries } = openSqliteStore(file);
    expect(await deliveries.releaseDeadLeases(noon + 1)).toBe(0);
    await expectLeased();
  });
});

test('a lock file is empty and private, and is removed when its worker ends', async () => {
  const { end } = await store.deliveries.registerWorker();
  const [path = ''] = listLockFiles();
  expect(statSync(path)).toMatchObject({ size: 0 });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await end(noon);
  expect(listLockFiles()).toEqual([]);
});

test('checking for dead workers does not give up the locks of living ones in this process', async () => {
  await store.deliveries.registerWorker();
  const second = openSqliteStore(file);
  onTestFinished(() => second.close());
  for (let count = 0; count < 3; count += 1) await second.deliveries.releaseDeadLeases(noon);
  expect(listLockFiles()).toHaveLength(1);
  // In another process, which sees only the locks of the operating system.
  const child = new Child(new URL('./release-process.ts', import.meta.url), file);
  expect(await child.readLine()).toBe('0');
  expect(listLockFiles()).toHaveLength(1);
});

test('files that are no locks of workers stay, whatever their names start with', async () => {
  const uuid = '0b8e4c6e-9d0c-4f7f-8a53-2f6f7c0d9e11';
  const names = ['backup.db', 'old', `0123456789ab-${uuid}.bak`, `0123456789AB-${uuid}`, uuid];
  for (const name of names) writeFileSync(`${file}-worker-${name}`, '');
  const before = listLockFiles();
  expect(await release()).toBe(0);
  expect(listLockFiles()).toEqual(before);
});

test('a store in memory registers workers without files', async () => {
  const memory = openSqliteStore(':memory:');
  const { end } = await memory.deliveries.registerWorker();
  expect(await memory.deliveries.releaseDeadLeases(noon)).toBe(0);
  await end(noon);
  await memory.close();
});
