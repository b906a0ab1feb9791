import { type AccountKind, accountKinds } from '@tradepost/contract/wire';
import { type Command, Option } from 'commander';
import { createAccount } from '../accounts/account';
import { issueKey } from '../accounts/api-key';
import { systemClock } from '../clock';
import { databaseOption, jsonOption, readName } from '../config';
import { createIds } from '../ids';
import { present } from '../moment';
import { printResult, type Streams } from './output';
import { withStore } from './with-store';

interface CreateOptions {
  database: string;
  kind: AccountKind;
  name?: string;
  json?: boolean;
}

async function createRun(options: CreateOptions, streams: Streams): Promise<void> {
  const moment = present(systemClock, createIds());
  const account = createAccount(options.kind, options.name ?? options.kind, moment);
  const key = { accountId: account.id, readOnly: false, expiresAt: null };
  const { record, apiKey } = issueKey(key, moment);
  await withStore(options.database, (store) => store.accounts.addAccount(account, record));
  const { id, kind } = account;
  printResult(streams, { id, kind, apiKey }, options.json);
  streams.stderr.write('The API key is shown this once. Keep it where secrets are kept.\n');
}

/** `tradepost-server accounts`. */
export function addAccountCommands(program: Command, streams: Streams): void {
  const accounts = program.command('accounts').description('make accounts');
  accounts
    .command('create')
    .description('make an account and its first API key')
    .addOption(
      new Option('--kind <kind>', 'what it may do').choices(accountKinds).makeOptionMandatory(),
    )
    .option('--name <name>', 'what people call it', readName)
    .addOption(jsonOption())
    .addOption(databaseOption())
    .action((options: CreateOptions) => createRun(options, streams));
}
