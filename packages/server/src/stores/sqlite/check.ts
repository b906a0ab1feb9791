import { statSync } from 'node:fs';
import { latestBackoffUntil } from '@tradepost/domain/deliveries/endpoint-health';
import Database from 'better-sqlite3';
import {
  type CheckReport,
  type CheckResult,
  type DataProblem,
  maxExamples,
  toIntegrityResult,
  toResult,
  toSkipped,
} from '../check-report';
import { type DataRule, describeBrokenReference, type RuleGroup, references } from '../data-rules';
import { fileExists, requireNoAbandonedLog } from './abandoned-log';
import { ruleGroups } from './check-rules';
import { findDamage, listTables, quoteName, withSnapshot } from './database-file';
import { compareSchema, currentSchemaVersion, readSchemaVersion } from './migrate';
import { openForReading } from './open-connection';
import { explainReadError, isCorrupt } from './sqlite-errors';

/** Describes the check of the file itself, and reports the faults that were found. */
const reportFaults = (faults: string[]) =>
  toIntegrityResult('the file is sound', 'faults in the file', faults);

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
          reportFaults([...findDamage(connection), ...findDifferences(connection)]),
          checkReferences(connection),
          ...ruleGroups.map((group) =>
            isCurrent ? checkRules(connection, group, latestBackoffUntil(now)) : toSkipped(group),
          ),
        ],
      };
    });
  } finally {
    connection.close();
  }
}

/** Returns what the schema lacks, and what is not of this server; nothing if the schema cannot be read, which is another fault. */
function findDifferences(connection: Database.Database): string[] {
  try {
    const { missing, unknown } = compareSchema(connection);
    return [
      ...missing.map((part) => `${part} is missing`),
      ...unknown.map((part) => `${part} is not of this server`),
    ];
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return [];
  }
}

/** Reports a file of which nothing can be read. */
function reportDamage(damage: string): CheckReport {
  return {
    schemaVersion: null,
    checks: [reportFaults([damage]), toSkipped(references), ...ruleGroups.map(toSkipped)],
  };
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

interface ForeignKeyRow {
  id: number;
  table: string;
  from: string;
  to: string | null;
}

/** Derives a rule from each foreign key of the schema. */
function listReferences(connection: Database.Database): DataRule[] {
  return listTables(connection).flatMap((table) =>
    (connection.pragma(`foreign_key_list(${quoteName(table)})`) as ForeignKeyRow[]).map((key) => ({
      problem: describeBrokenReference(table, key.from),
      sql: `SELECT ${quoteName(key.from)} FROM ${quoteName(table)} AS child WHERE ${quoteName(key.from)} IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM ${quoteName(key.table)} AS parent
          WHERE parent.${quoteName(key.to ?? 'id')} = child.${quoteName(key.from)})`,
    })),
  );
}

function checkReferences(connection: Database.Database): CheckResult {
  const problems = listReferences(connection).flatMap((rule) => findRows(connection, rule, 0));
  return toResult(references, problems);
}

function checkRules(connection: Database.Database, group: RuleGroup, latest: number): CheckResult {
  const problems = group.rules.flatMap((rule) => findRows(connection, rule, latest));
  return toResult(group, problems);
}
