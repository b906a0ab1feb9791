import type { Command } from 'commander';
import { describeDatabase, isPostgresUrl } from '../stores/database-url';
import { databaseOption, jsonOption } from './options';
import { printResult, type Streams } from './output';

async function migrateRun(
  options: { database: string; dryRun?: boolean; json?: boolean },
  streams: Streams,
): Promise<void> {
  const { database, dryRun = false, json } = options;
  // Loaded here, because no other command needs it.
  const { migrateDatabase } = isPostgresUrl(database)
    ? await import('../stores/postgres/migrate')
    : await import('../stores/sqlite/database-file');
  const { from, to } = await migrateDatabase(database, { dryRun });
  printResult(streams, { database: describeDatabase(database), from, to, dryRun }, json);
  if (from === to) streams.stderr.write('The database has the current schema.\n');
}

/** `tradepost-server migrate`. */
export function addMigrateCommand(program: Command, streams: Streams): void {
  program
    .command('migrate')
    .description('migrate the database to the schema of this program, as start does')
    .option('--dry-run', 'only print the schema versions')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => migrateRun(options, streams));
}
