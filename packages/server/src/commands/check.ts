import { systemClock } from '@tradepost/domain/kernel/context';
import type { Command } from 'commander';
import type { CheckReport, CheckResult, DataProblem } from '../stores/check-report';
import { isPostgresUrl } from '../stores/database-url';
import { databaseOption, jsonOption } from './options';
import { escapeControlChars, type Streams, toJsonText } from './output';

/** The exit code if a problem was found. 1 means that the check could not run. */
const problemExitCode = 3;

const labelWidth = 'problem'.length;

/** What to do about problems, by the name of the check. */
const advice: Record<string, string> = {
  integrity:
    'Stop the server, keep a copy of the file, and restore the latest backup. What is only not of this server can be dropped instead.',
  queues:
    'A restart of the server corrects how many deliveries are in flight. If the problem stays, restore a backup.',
};
/** What to do about problems of PostgreSQL, where it is something else. */
const postgresAdvice: Record<string, string> = {
  integrity:
    'Another program has changed the schema. Create what is missing as in a new database and drop what is not of this server, or restore a backup.',
  queues:
    'A restart of the servers corrects how many deliveries are in flight. If the problem stays, restore a backup.',
};
const defaultAdvice =
  'Either another program changed the data, or the server has a fault: please report it. Restore a backup from before.';
const migrateAdvice =
  'Some checks need the current schema: make a backup, then run tradepost-server migrate.';

function formatProblem({ count, problem, examples }: DataProblem): string {
  const more = count > examples.length ? ', …' : '';
  return `  ${escapeControlChars(`${count} ${problem}: ${examples.join(', ')}${more}`)}\n`;
}

function formatCheck({ name, description, result, problems }: CheckResult, width: number): string {
  const head = `${result.padEnd(labelWidth)}  ${name.padEnd(width)}  ${description}\n`;
  return head + problems.map(formatProblem).join('');
}

function listAdvice(
  { schemaVersion, checks }: CheckReport,
  adviceByCheck: Record<string, string>,
): string[] {
  const needed = checks.flatMap(({ name, result }) => {
    if (result === 'problem') return [adviceByCheck[name] ?? defaultAdvice];
    // A file that cannot be read cannot be migrated.
    return result === 'skipped' && schemaVersion !== null ? [migrateAdvice] : [];
  });
  return [...new Set(needed)];
}

function printReport(
  report: CheckReport,
  streams: Streams,
  { database, json }: { database: string; json?: boolean },
): void {
  const { schemaVersion, checks } = report;
  const ok = checks.every(({ result }) => result !== 'problem');
  if (json) {
    streams.stdout.write(`${toJsonText({ ok, schemaVersion, checks })}\n`);
    return;
  }
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const check of checks) streams.stdout.write(formatCheck(check, width));
  const adviceByCheck = isPostgresUrl(database) ? postgresAdvice : advice;
  for (const line of listAdvice(report, adviceByCheck)) streams.stderr.write(`${line}\n`);
}

async function checkRun(
  options: { database: string; json?: boolean },
  streams: Streams,
): Promise<void> {
  const { database } = options;
  // Loaded here, because no other command needs it.
  const { checkDatabase } = isPostgresUrl(database)
    ? await import('../stores/postgres/check')
    : await import('../stores/sqlite/check');
  const report = await checkDatabase(database, systemClock.now());
  printReport(report, streams, options);
  if (report.checks.some(({ result }) => result === 'problem')) process.exitCode = problemExitCode;
}

/** `tradepost-server check`. */
export function addCheckCommand(program: Command, streams: Streams): void {
  program
    .command('check')
    .description(
      'check the database for damage and inconsistent data; exits with 3 if it finds any',
    )
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => checkRun(options, streams));
}
