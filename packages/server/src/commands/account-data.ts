import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { auditAccount } from '@tradepost/domain/accounts/account-audit';
import { formatCount } from '@tradepost/domain/kernel/errors';
import type { Command } from 'commander';
import { formatAccount, requireAccount } from './accounts';
import { eraseAccount } from './erase-account';
import { exportAccount, toExportLine } from './export-account';
import { runInterruptible } from './interruptible';
import { createCommandContext, getOperator } from './operator';
import { OperatorError } from './operator-error';
import {
  databaseOption,
  forceOption,
  jsonOption,
  parseFile,
  requireYes,
  yesOption,
} from './options';
import { printResult, type Streams } from './output';
import { withExistingStore } from './with-store';

interface ExportOptions {
  database: string;
  output?: string;
  force?: boolean;
}

/** Writes an export to a file that appears when it is complete, readable only by its owner. */
async function writeFile(file: string, lines: Readable): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(lines, createWriteStream(part, { mode: 0o600 }));
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new OperatorError(`Cannot write ${file}: ${error.message}. Nothing was exported.`);
  }
}

/** Writes to the output without ending it. Returns whether all was written: if not, the program has reported why. */
async function writeOutput(output: Writable, lines: Readable): Promise<boolean> {
  try {
    await pipeline(lines, output, { end: false });
    return true;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return false;
    throw error;
  }
}

async function exportRun(id: string, options: ExportOptions, streams: Streams): Promise<void> {
  const { database, output, force = false } = options;
  if (output !== undefined && !force && existsSync(output)) {
    throw new OperatorError(`${output} exists. Pass --force to replace it, or another --output.`);
  }
  const context = createCommandContext();
  let count = 0;
  const isComplete = await withExistingStore(database, async (store) => {
    const account = await requireAccount(store, id, database);
    await store.audit.addEntry(
      auditAccount(getOperator(), 'account.exported', account, {}, context),
    );
    async function* listLines() {
      for await (const item of exportAccount(store, account, formatAccount(account, true))) {
        count += 1;
        yield toExportLine(item);
      }
    }
    const lines = Readable.from(listLines());
    if (output === undefined) return await writeOutput(streams.stdout, lines);
    await writeFile(output, lines);
    return true;
  });
  if (!isComplete) return;
  streams.stderr.write(
    `${formatCount(count, 'item')} exported${output === undefined ? '' : ` to ${output}`}.\n`,
  );
}

interface EraseOptions {
  database: string;
  yes?: boolean;
  json?: boolean;
}

async function eraseRun(id: string, options: EraseOptions, streams: Streams): Promise<void> {
  const { database, json } = options;
  requireYes(
    options,
    `Erasing account ${id} removes its name, keys, webhooks, deliveries, notifications and event log`,
  );
  const erased = await runInterruptible(
    'Part of the account is erased. Run the command again to erase the rest.',
    (signal) =>
      withExistingStore(database, async (store) => {
        await requireAccount(store, id, database);
        return await eraseAccount(store, id, signal);
      }),
  );
  printResult(streams, { id, ...erased }, json);
  streams.stderr.write('Backups still have the account.\n');
}

/** `tradepost-server accounts export` and `tradepost-server accounts erase`. */
export function addAccountDataCommands(program: Command, streams: Streams): void {
  const accounts = program.commands.find((command) => command.name() === 'accounts');
  accounts
    ?.command('export')
    .description('write everything about an account, without secrets, as JSON Lines')
    .argument('<id>', 'the account, usr_<id>')
    .option('--output <file>', 'a file, instead of stdout', parseFile)
    .addOption(forceOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((id, options) => exportRun(id, options, streams));
  accounts
    ?.command('erase')
    .description('erase a suspended account for ever, also while a server runs; its orders stay')
    .argument('<id>', 'the account, usr_<id>')
    .addOption(yesOption())
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((id, options) => eraseRun(id, options, streams));
}
