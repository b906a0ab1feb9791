import type { Command } from 'commander';
import { describeDatabase, isPostgresUrl } from '../stores/database-url';
import type { PlannedMigration } from '../stores/postgres/migrate';
import { databaseOption, jsonOption } from './options';
import { printResult, type Streams } from './output';

function describeMigration({ summary, blocksChanges, compatibleFrom }: PlannedMigration): string {
  const changes = blocksChanges ? 'changes wait until its end' : 'changes go on';
  return `${summary}; ${changes}; servers of schema version ${compatibleFrom} or later can use it`;
}

/** Migrates a database. What a migration does is known for PostgreSQL only: a SQLite file must not be in use. */
async function migrateAny(
  database: string,
  options: { dryRun: boolean },
): Promise<{ from: number; to: number; migrations?: PlannedMigration[] }> {
  // Loaded here, because no other command needs them.
  const { migrateDatabase } = isPostgresUrl(database)
    ? await import('../stores/postgres/migrate')
    : await import('../stores/sqlite/database-file');
  return await migrateDatabase(database, options);
}

async function migrateRun(
  options: { database: string; dryRun?: boolean; json?: boolean },
  streams: Streams,
): Promise<void> {
  const { database, dryRun = false, json } = options;
  const { from, to, migrations } = await migrateAny(database, { dryRun });
  const result = { database: describeDatabase(database), from, to, dryRun };
  const lines = migrations?.map((migration) => [
    `version ${migration.version}`,
    describeMigration(migration),
  ]);
  printResult(
    streams,
    json ? { ...result, migrations } : { ...result, ...Object.fromEntries(lines ?? []) },
    json,
  );
  if (from === to) streams.stderr.write('The database has the current schema.\n');
}

/** `tradepost-server migrate`. */
export function addMigrateCommand(program: Command, streams: Streams): void {
  program
    .command('migrate')
    .description('migrate the database to the schema of this program, as start does')
    .option('--dry-run', 'only print what would be done')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => migrateRun(options, streams));
}
