import { noon } from '@tradepost/domain/test/builders';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkDatabase } from '../../../src/stores/sqlite/check';
import { readContents } from '../../../src/stores/sqlite/database-file';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../../helpers/temp-folder';
import { inspectFile } from './inspect-file';

let file: string;

beforeEach(async () => {
  file = tempFile();
  await openSqliteStore(file).close();
});

function change(sql: string): void {
  inspectFile(file, (connection) => connection.exec(sql));
}

async function findProblems() {
  const { checks } = await checkDatabase(file, noon);
  return checks.filter(({ result }) => result !== 'ok');
}

describe('the check of a database that another program has changed', () => {
  test.each([
    ['trigger spy', 'CREATE TRIGGER spy AFTER INSERT ON orders BEGIN DELETE FROM attempts; END'],
    ['view totals', 'CREATE VIEW totals AS SELECT count(*) FROM orders'],
  ])('reports the unknown %s', async (part, sql) => {
    change(sql);
    const [integrity] = await findProblems();
    expect(integrity?.name).toBe('integrity');
    expect(integrity?.problems[0]?.examples).toEqual([`${part} is not of this server`]);
  });

  test.each([
    'CREATE TABLE _backup_sequence (number INTEGER)',
    'CREATE INDEX orders_for_a_report ON orders (version)',
  ])('accepts what changes nothing: %s', async (sql) => {
    change(sql);
    expect(await findProblems()).toEqual([]);
  });

  test('reads tables and columns with any name', async () => {
    change(`CREATE TABLE "a""b" ("c""d" TEXT, "e""f" TEXT PRIMARY KEY REFERENCES "a""b" ("e""f"));
      INSERT INTO "a""b" VALUES ('x', 'y')`);
    expect(await findProblems()).toEqual([]);
    const rows = inspectFile(file, (connection) => readContents(connection).rows);
    expect(rows['a"b']).toBe(1);
  });
});
