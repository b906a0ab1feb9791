import type { Command } from 'commander';
import type { DatabaseCopy } from '../stores/sqlite/backup';
import { runInterruptible } from './interruptible';
import { databaseOption, forceOption, jsonOption, requireDatabaseFile } from './options';
import { printResult, type Streams } from './output';

interface Options {
  database: string;
  force?: boolean;
  json?: boolean;
}

function printCopy({ rows, ...copy }: DatabaseCopy, streams: Streams, json?: boolean): void {
  printResult(streams, json ? { ...copy, rows } : { ...copy, ...rows }, json);
}

async function backupRun(file: string, options: Options, streams: Streams): Promise<void> {
  const { database, force: overwrite = false, json } = options;
  requireDatabaseFile(database, 'Back up PostgreSQL with pg_dump or pg_basebackup.');
  // Loaded here, because no other command needs it.
  const { backUpDatabase } = await import('../stores/sqlite/backup');
  const copy = await runInterruptible('Nothing was changed.', (signal) =>
    backUpDatabase({ from: database, to: file, overwrite, signal }),
  );
  printCopy(copy, streams, json);
  streams.stderr.write('The backup contains endpoint secrets. Keep it secret.\n');
}

async function restoreRun(file: string, options: Options, streams: Streams): Promise<void> {
  const { database, force: overwrite = false, json } = options;
  requireDatabaseFile(database, 'Restore PostgreSQL with pg_restore or from a base backup.');
  const { restoreDatabase } = await import('../stores/sqlite/backup');
  const copy = await runInterruptible('Nothing was changed.', (signal) =>
    restoreDatabase({ from: file, to: database, overwrite, signal }),
  );
  printCopy(copy, streams, json);
  streams.stderr.write(
    'Changes since the backup are undone: revoked keys are valid again, and deliveries since then are made again.\n',
  );
}

/** `tradepost-server backup` and `tradepost-server restore`. */
export function addBackupCommands(program: Command, streams: Streams): void {
  program
    .command('backup')
    .description('copy the database to a file, also while servers use it')
    .argument('<file>', 'the backup to write')
    .addOption(forceOption())
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((file, options) => backupRun(file, options, streams));
  program
    .command('restore')
    .description('replace the database by a backup, while no server uses it')
    .argument('<file>', 'the backup to read')
    .addOption(forceOption())
    .addOption(jsonOption())
    .addOption(databaseOption())
    .action((file, options) => restoreRun(file, options, streams));
}
