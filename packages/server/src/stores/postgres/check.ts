import { latestBackoffUntil } from '@tradepost/domain/deliveries/endpoint-health';
import pg from 'pg';
import {
  type CheckReport,
  type CheckResult,
  type DataProblem,
  maxExamples,
  toIntegrityResult,
  toResult,
  toSkipped,
} from '../check-report';
import { type DataRule, references } from '../data-rules';
import { referenceRules, ruleGroups } from './check-rules';
import { PostgresDatabase } from './database';
import { createTables, currentSchemaVersion, requireKnownSchema, requireMigrated } from './migrate';
import { translateOpeningError } from './postgres-errors';

/**
 * Starts the transaction in which everything is read: one state of the database. It is rolled back, with the temporary function and
 * tables that the checks use.
 */
const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ;
  SET LOCAL statement_timeout = 0;
  SET LOCAL lock_timeout = 0;
  CREATE FUNCTION pg_temp.is_json(text TEXT) RETURNS BOOLEAN LANGUAGE plpgsql IMMUTABLE AS $$
    BEGIN
      PERFORM text::json;
      RETURN TRUE;
    EXCEPTION WHEN data_exception THEN
      RETURN FALSE;
    END $$`;

/** Lists the tables, columns and indexes of a schema, such as `column orders.id`. An index that cannot be used is not one. */
const listParts = `SELECT CASE c.relkind WHEN 'r' THEN 'table ' ELSE 'index ' END || c.relname AS part
  FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
  WHERE c.relnamespace = $1::oid AND c.relkind IN ('r', 'i') AND coalesce(i.indisvalid, TRUE)
  UNION ALL
  SELECT 'column ' || c.relname || '.' || a.attname
  FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
  WHERE c.relnamespace = $1::oid AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY part`;

/** Lists triggers and rules of a schema's tables. The server has none, and they may change what it writes. */
const listCode = `SELECT 'trigger ' || t.tgname || ' of table ' || c.relname AS part
  FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
  WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal
  UNION ALL
  SELECT 'rule ' || r.rulename || ' of table ' || c.relname
  FROM pg_rewrite AS r JOIN pg_class AS c ON c.oid = r.ev_class
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
  ORDER BY part`;

/**
 * Checks a database for data that the server would not write, and for missing parts of its schema. It changes nothing, and servers
 * may write meanwhile. Damaged tables and indexes are found by pg_amcheck.
 *
 * @param now Milliseconds since 1970.
 * @throws StoreUnavailableError if it cannot be read, has no tables or an unfinished copy, or belongs to another program.
 */
export async function checkDatabase(url: string, now: number): Promise<CheckReport> {
  const db = new PostgresDatabase(url, { maxConnections: 1 });
  try {
    const schemaVersion = await requireKnownSchema(db);
    if (schemaVersion === 0) await requireMigrated(db);
    const checks = await db.withUnlimitedConnection((client) =>
      runChecks(client, schemaVersion, now),
    );
    return { schemaVersion, checks };
  } catch (error) {
    throw translateOpeningError(url, error);
  } finally {
    await db.close();
  }
}

async function runChecks(
  client: pg.ClientBase,
  schemaVersion: number,
  now: number,
): Promise<CheckResult[]> {
  await client.query(begin);
  try {
    const missing = await findMissingParts(client, schemaVersion);
    const { rows } = await client.query<{ part: string }>(listCode);
    const unknown = rows.map(({ part }) => `${part} is not of this server`);
    const faults = [...missing, ...unknown];
    const checks = [toIntegrityResult('the schema is complete', 'faults in the schema', faults)];
    const isCurrent = schemaVersion === currentSchemaVersion;
    const latest = latestBackoffUntil(now);
    for (const group of [{ ...references, rules: referenceRules }, ...ruleGroups]) {
      if (!isCurrent) {
        checks.push(toSkipped(group));
        continue;
      }
      const problems: DataProblem[] = [];
      for (const rule of group.rules) problems.push(...(await findRows(client, rule, latest)));
      checks.push(toResult(group, problems));
    }
    return checks;
  } finally {
    // If even this fails, the connection is broken, and the server rolls back.
    await client.query('ROLLBACK').catch(() => {});
  }
}

/** Returns what the schema lacks of what its version has, such as `index orders_of_buyer is missing`. */
async function findMissingParts(client: pg.ClientBase, schemaVersion: number): Promise<string[]> {
  const readParts = async (schema: string) => {
    const { rows } = await client.query<{ part: string }>(listParts.replaceAll('$1::oid', schema));
    return rows.map(({ part }) => part);
  };
  const found = new Set(await readParts('current_schema()::regnamespace'));
  await client.query('SAVEPOINT complete; SET LOCAL search_path = pg_temp');
  await createTables(client, schemaVersion);
  const complete = await readParts('pg_my_temp_schema()');
  await client.query('ROLLBACK TO SAVEPOINT complete');
  return complete.filter((part) => !found.has(part)).map((part) => `${part} is missing`);
}

/** Counts the rows of a query. An error that keeps the query from running is a problem too. */
async function findRows(
  client: pg.ClientBase,
  { problem, sql }: DataRule,
  latest: number,
): Promise<DataProblem[]> {
  const broken = sql.replaceAll('@latest', `${latest}`);
  await client.query('SAVEPOINT rule');
  try {
    const { rows } = await client.query<{ count: number; examples: string[] }>(
      `WITH broken (name) AS (${broken})
       SELECT (SELECT count(*) FROM broken) AS count,
         ARRAY(SELECT name::text FROM broken LIMIT ${maxExamples}) AS examples`,
    );
    return rows.flatMap(({ count, examples }) => (count === 0 ? [] : { problem, count, examples }));
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT rule');
    return [
      {
        problem: `rows that cannot be read while looking for ${problem}`,
        count: 1,
        examples: [error.message],
      },
    ];
  }
}
