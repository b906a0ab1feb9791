import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { updateListing } from '@tradepost/domain/listings/listing';
import { noon } from '@tradepost/domain/test/builders';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CheckResult } from '../../../src/stores/check-report';
import { checkDatabase } from '../../../src/stores/sqlite/check';
import { ruleGroups } from '../../../src/stores/sqlite/check-rules';
import { currentSchemaVersion } from '../../../src/stores/sqlite/migrate';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { fillStore } from '../../helpers/fill-store';
import { makeTempFolder, tempFile } from '../../helpers/temp-folder';
import { Trade } from '../../helpers/trade';
import { describeChecks } from '../check-conformance';
import { inspectFile } from './inspect-file';

const template = makeTempFolder();
const sound = `${template.path}/sound.db`;
let file: string;

beforeAll(async () => {
  const store = openSqliteStore(sound);
  await fillStore(store);
  await store.close();
  return template.remove;
});

beforeEach(() => {
  file = tempFile();
  copyFileSync(sound, file);
});

/** Changes the data as a program without the rules of the schema would. */
function damage(sql: string): void {
  inspectFile(file, (connection) => {
    connection.pragma('foreign_keys = OFF');
    connection.pragma('ignore_check_constraints = ON');
    connection.exec(sql);
  });
}

async function findProblems(): Promise<CheckResult[]> {
  const { checks } = await checkDatabase(file, noon);
  return checks.filter(({ result }) => result !== 'ok');
}

describe('checkDatabase', () => {
  describeChecks({
    ruleGroups,
    ownDamages: [
      [
        'deliveries',
        'pending deliveries that are neither due nor leased, or both',
        'UPDATE deliveries SET due_at = NULL WHERE lease_until IS NULL',
      ],
      [
        'deliveries',
        'pending deliveries with an end, or without a start of their wait',
        'UPDATE deliveries SET finished_at = 1',
      ],
      [
        'deliveries',
        'finished deliveries that are due or leased, or have no end',
        'UPDATE deliveries SET finished_at = NULL',
      ],
      ['deliveries', 'deliveries with half a lease', 'UPDATE deliveries SET lease_token = NULL'],
    ],
    damage,
    findProblems,
    open: () => openSqliteStore(file),
  });

  test('finds no problem in a sound database, and changes nothing', async () => {
    const before = readFileSync(file);
    const { schemaVersion, checks } = await checkDatabase(file, noon);
    expect(schemaVersion).toBe(currentSchemaVersion);
    expect(checks.map(({ name, result }) => [name, result])).toEqual([
      ['integrity', 'ok'],
      ['references', 'ok'],
      ...ruleGroups.map(({ name }) => [name, 'ok']),
    ]);
    expect(readFileSync(file)).toEqual(before);
  });

  test.each([
    ['orders', 'listing_id', 'DELETE FROM listings'],
    ['deliveries', 'event_id', 'DELETE FROM events'],
    ['deliveries', 'webhook_id', 'DELETE FROM webhooks'],
    ['notifications', 'event_id', 'DELETE FROM events'],
    ['notifications', 'account_id', `UPDATE notifications SET account_id = 'usr_none'`],
    ['events', 'order_id', `UPDATE events SET order_id = 'ord_none'`],
    ['tasks', 'order_id', 'DELETE FROM orders'],
    ['attempts', 'delivery_seq', 'UPDATE attempts SET delivery_seq = delivery_seq + 99'],
    ['queues', 'webhook_id', 'DELETE FROM webhooks'],
    ['api_keys', 'account_id', 'DELETE FROM accounts'],
    ['webhook_events', 'webhook_id', 'DELETE FROM webhooks'],
  ])('finds rows of %s whose %s leads nowhere', async (table, column, sql) => {
    damage(sql);
    const references = (await findProblems()).find(({ name }) => name === 'references');
    expect(references?.problems).toContainEqual({
      problem: `rows of ${table} whose ${column} leads nowhere`,
      count: expect.any(Number),
      examples: expect.any(Array),
    });
  });

  test('finds a damaged page, and reports rows that cannot be read', async () => {
    const root = inspectFile(file, (db) =>
      db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'orders'").pluck().get(),
    );
    const bytes = readFileSync(file);
    bytes.fill(0xff, (Number(root) - 1) * 4_096, Number(root) * 4_096);
    writeFileSync(file, bytes);
    const found = await findProblems();
    const names = found.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['integrity', 'orders']));
    const orders = found.find(({ name }) => name === 'orders');
    expect(orders?.problems[0]).toMatchObject({
      problem: expect.stringContaining('cannot be read'),
      examples: ['database disk image is malformed'],
    });
  });

  test('finds what the schema lacks', async () => {
    damage('DROP INDEX orders_of_buyer; ALTER TABLE api_keys DROP COLUMN last_used_at');
    const integrity = (await findProblems()).find(({ name }) => name === 'integrity');
    expect(integrity?.problems[0]?.examples).toEqual([
      'index orders_of_buyer is missing',
      'column api_keys.last_used_at is missing',
    ]);
  });

  test('finds no wrong stock after orders, cancellations and updates of a listing', async () => {
    const store = openSqliteStore(file);
    const trade = await Trade.open(store);
    await trade.place({ quantity: 3 });
    const cancelled = await trade.place({ quantity: 2 });
    await trade.move(cancelled, 'cancelled');
    for (const changes of [{ addedUnits: 10 }, { availableQuantity: 4 }, { lowThreshold: 3 }]) {
      await store.listings.changeListing(trade.listing.id, (found) => {
        if (found === null) throw new Error('no listing');
        return updateListing(found, changes);
      });
    }
    await trade.place({ quantity: 2 });
    await store.close();
    expect(await findProblems()).toEqual([]);
    damage('UPDATE listings SET available_quantity = available_quantity + 1');
    const stock = (await findProblems()).find(({ name }) => name === 'stock');
    expect(stock?.problems[0]?.examples).toContain(`${trade.listing.id} has 3, not 2`);
  });

  test('finds a value that the schema forbids', async () => {
    damage('UPDATE listings SET available_quantity = -1');
    const integrity = (await findProblems()).find(({ name }) => name === 'integrity');
    expect(integrity?.problems[0]?.examples).toEqual(['CHECK constraint failed in listings']);
  });

  test('lists the faults that SQLite finds one by one, five at most and without headings', async () => {
    const bytes = Buffer.concat([readFileSync(file), Buffer.alloc(8 * 4_096)]);
    // The number of pages in the header: eight belong to no table.
    bytes.writeUInt32BE(bytes.length / 4_096, 28);
    writeFileSync(file, bytes);
    const integrity = (await findProblems()).find(({ name }) => name === 'integrity');
    const [problem] = integrity?.problems ?? [];
    expect(problem?.count).toBe(8);
    expect(problem?.examples).toHaveLength(5);
    for (const example of problem?.examples ?? [])
      expect(example).toMatch(/^Page \d+: never used$/);
  });

  test.each([
    ['is not a database', () => writeFileSync(file, 'Dear friend'), 'file is not a database'],
    [
      'has a damaged header',
      () => {
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.fill(0x5a, 0, 100));
      },
      'file is not a database',
    ],
    [
      'is truncated',
      () => truncateSync(file, statSync(file).size / 2),
      'database disk image is malformed',
    ],
    ['is empty', () => writeFileSync(file, ''), 'the file is empty'],
  ])('reports a file that %s as damaged', async (_what, damageFile, message) => {
    damageFile();
    const { schemaVersion, checks } = await checkDatabase(file, noon);
    const [integrity, ...others] = checks;
    expect(integrity).toMatchObject({
      name: 'integrity',
      problems: [{ problem: 'faults in the file', count: 1, examples: [message] }],
    });
    expect(schemaVersion).toBeNull();
    expect(others.map(({ name }) => name)).toEqual([
      'references',
      ...ruleGroups.map(({ name }) => name),
    ]);
    expect(new Set(others.map(({ result }) => result))).toEqual(new Set(['skipped']));
  });

  test("rejects a missing file and another program's database", async () => {
    await expect(checkDatabase(`${file}.missing`, noon)).rejects.toThrow('does not exist');
    const other = tempFile('other.db');
    inspectFile(other, (connection) => connection.exec('CREATE TABLE recipes (name TEXT)'));
    await expect(checkDatabase(other, noon)).rejects.toThrow('is not a Tradepost database');
  });
});
