import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { latestBackoffUntil } from '../../deliveries/endpoint-health';
import { fileExists, requireNoAbandonedLog } from './abandoned-log';
import { type DataRule, type RuleGroup, ruleGroups } from './check-rules';
import { findDamage, listTables, withSnapshot } from './database-file';
import { currentSchemaVersion, findMissingParts, readSchemaVersion } from './migrate';
import { openForReading } from './open-connection';
import { explainReadError, isCorrupt } from './sqlite-errors';

/** How many rows a problem names at most. */
const maxExamples = 5;

/** A problem in the data. */
export interface DataProblem {
  /** What is wrong; follows the number of rows in a sentence. */
  problem: string;
  /** How many rows have it. */
  count: number;
  /** Some of them. */
  examples: string[];
}

/** The result of one check. */
export interface CheckResult {
  name: string;
  /** What holds if there is no problem. */
  description: string;
  /** `skipped` if it needs the current schema, or if the file cannot be read at all. */
  result: 'ok' | 'problem' | 'skipped';
  problems: DataProblem[];
}

/** The results of all checks, of one state of the database. */
export interface CheckReport {
  /** Null if the file cannot be read at all. */
  schemaVersion: number | null;
  checks: CheckResult[];
}

/**
 * Checks a database for damage and for data that the server would not write. It changes nothing, and servers may write
 * meanwhile; the write-ahead log grows until it ends.
 *
 * @param now Milliseconds since 1970.
 * @throws StoreUnavailableError if the file does not exist, may not be read, or is a sound database of another program.
 */
export async function checkDatabase(file: string, now: number): Promise<CheckReport> {
  try {
    requireNoAbandonedLog(file);
    // SQLite takes an empty file for a new database. No server leaves one.
    if (fileExists(file) && statSync(file).size === 0) return reportDamage('the file is empty');
    return await runChecks(file, now);
  } catch (error) {
    if (isCorrupt(error)) return reportDamage(error.message);
    if (error instanceof Error && isCorrupt(error.cause)) return reportDamage(error.cause.message);
    throw explainReadError(file, error);
  }
}

async function runChecks(file: string, now: number): Promise<CheckReport> {
  const connection = openForReading(file);
  try {
    return await withSnapshot(connection, () => {
      const schemaVersion = readSchemaVersion(connection);
      const isCurrent = schemaVersion === currentSchemaVersion;
      return {
        schemaVersion,
        checks: [
          toIntegrityResult([...findDamage(connection), ...findMissing(connection)]),
          checkReferences(connection),
          ...ruleGroups.map((group) =>
            isCurrent ? checkRules(connection, group, latestBackoffUntil(now)) : skip(group),
          ),
        ],
      };
    });
  } finally {
    connection.close();
  }
}

/** Returns what the schema lacks; nothing if the schema cannot be read, which is another fault. */
function findMissing(connection: Database.Database): string[] {
  try {
    return findMissingParts(connection).map((part) => `${part} is missing`);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return [];
  }
}

/** Reports a file of which nothing can be read. */
function reportDamage(damage: string): CheckReport {
  return {
    schemaVersion: null,
    checks: [toIntegrityResult([damage]), skip(references), ...ruleGroups.map(skip)],
  };
}

function toResult(name: string, description: string, problems: DataProblem[]): CheckResult {
  return { name, description, result: problems.length === 0 ? 'ok' : 'problem', problems };
}

function skip({ name, description }: Pick<RuleGroup, 'name' | 'description'>): CheckResult {
  return { name, description, result: 'skipped', problems: [] };
}

/** Counts the rows of a query. Damage that keeps the query from running is a problem too. */
function findRows(
  connection: Database.Database,
  { problem, sql }: DataRule,
  latest: number,
): DataProblem[] {
  const found: DataProblem = { problem, count: 0, examples: [] };
  try {
    const values = sql.includes('@latest') ? [{ latest }] : [];
    for (const row of connection
      .prepare<unknown[], unknown>(sql)
      .pluck()
      .iterate(...values)) {
      found.count += 1;
      if (found.count <= maxExamples) found.examples.push(String(row));
    }
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    return [
      {
        problem: `rows that cannot be read while looking for ${problem}`,
        count: 1,
        examples: [error.message],
      },
    ];
  }
  return found.count === 0 ? [] : [found];
}

function toIntegrityResult(damage: string[]): CheckResult {
  const problems =
    damage.length === 0
      ? []
      : [
          {
            problem: 'faults in the file',
            count: damage.length,
            examples: damage.slice(0, maxExamples),
          },
        ];
  return toResult('integrity', 'the file is sound', problems);
}

interface ForeignKeyRow {
  id: number;
  table: string;
  from: string;
  to: string | null;
}

/** Derives a rule from each foreign key of the schema. */
function listReferences(connection: Database.Database): DataRule[] {
  return listTables(connection).flatMap((table) =>
    (connection.pragma(`foreign_key_list("${table}")`) as ForeignKeyRow[]).map((key) => ({
      problem: `rows of ${table} whose ${key.from} leads nowhere`,
      sql: `SELECT "${key.from}" FROM "${table}" AS child WHERE "${key.from}" IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM "${key.table}" AS parent WHERE parent."${key.to ?? 'id'}" = child."${key.from}")`,
    })),
  );
}

const references = { name: 'references', description: 'every reference leads to a row' };

function checkReferences(connection: Database.Database): CheckResult {
  const problems = listReferences(connection).flatMap((rule) => findRows(connection, rule, 0));
  return toResult(references.name, references.description, problems);
}

function checkRules(connection: Database.Database, group: RuleGroup, latest: number): CheckResult {
  const problems = group.rules.flatMap((rule) => findRows(connection, rule, latest));
  return toResult(group.name, group.description, problems);
}
