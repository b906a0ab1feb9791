import { type Command, Option } from 'commander';
import type { StoreCopyProgress } from '../stores/copy-store';
import { describeDatabase, isPostgresUrl } from '../stores/database-url';
import { runInterruptible } from './interruptible';
import { UsageError } from './operator-error';
import { jsonOption, parseDatabase } from './options';
import { printResult, type Streams } from './output';

interface Options {
  from: string;
  to: string;
  dryRun?: boolean;
  json?: boolean;
}

/** How often the progress within a table is printed, in milliseconds. */
const progressIntervalMs = 2_000;

function parseSource(text: string): string {
  if (isPostgresUrl(text)) throw new UsageError('--from must be a SQLite file.');
  return parseDatabase(text, '--from');
}

function parseTarget(text: string): string {
  if (isPostgresUrl(text)) return parseDatabase(text, '--to');
  throw new UsageError('--to must be a URL that starts with postgres://.');
}

const verbs = { copy: 'copying', verify: 'comparing' };

/** Returns a function that prints each step, and from time to time how far it is. */
function createProgressPrinter({ stderr }: Streams): (progress: StoreCopyProgress) => void {
  let lastStep = '';
  let printedAt = performance.now();
  return ({ step, table, copied, total }) => {
    if (step === 'read') {
      stderr.write('checking the SQLite database\n');
      return;
    }
    const isNew = lastStep !== `${step} ${table}`;
    if (!isNew && performance.now() - printedAt < progressIntervalMs) return;
    lastStep = `${step} ${table}`;
    printedAt = performance.now();
    const count = step === 'copy' && copied > 0 ? `${copied} of ${total}` : total;
    stderr.write(`${verbs[step]} ${table}: ${count} rows\n`);
  };
}

async function migrateStoreRun(options: Options, streams: Streams): Promise<void> {
  const { from, to, dryRun = false, json } = options;
  // Loaded here, because no other command needs it.
  const { copyStore } = await import('../stores/copy-store');
  const { rows, isContinued } = await runInterruptible(
    dryRun
      ? 'Nothing was changed.'
      : 'The source is unchanged. If the copy was started, the same command continues it.',
    (signal) => copyStore({ from, to, dryRun, signal, onProgress: createProgressPrinter(streams) }),
  );
  const copy = { from, to: describeDatabase(to), dryRun };
  printResult(streams, json ? { ...copy, rows } : { ...copy, ...rows }, json);
  if (dryRun) {
    const next = isContinued ? 'The unfinished copy can be continued.' : 'The copy can be started.';
    streams.stderr.write(`Nothing was changed. ${next}\n`);
    return;
  }
  streams.stderr.write(
    'The copy is complete. Start the servers with the new database, and keep no server on the old one.\n',
  );
}

/** `tradepost-server migrate-store`. */
export function addMigrateStoreCommand(program: Command, streams: Streams): void {
  program
    .command('migrate-store')
    .description('copy a SQLite database to PostgreSQL, while no server uses either')
    .addOption(
      new Option('--from <file>', 'SQLite file, which is only read')
        .argParser(parseSource)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--to <url>', 'postgres:// URL of an empty database, or of an unfinished copy')
        .argParser(parseTarget)
        .makeOptionMandatory(),
    )
    .option('--dry-run', 'only check both and print what would be copied')
    .addOption(jsonOption())
    .action((options) => migrateStoreRun(options, streams));
}
