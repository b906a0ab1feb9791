import { type AccountKind, accountKinds } from '@tradepost/contract/wire';
import { type Account, createAccount } from '@tradepost/domain/accounts/account';
import { auditAccount, auditKey } from '@tradepost/domain/accounts/account-audit';
import { formatTimestamp } from '@tradepost/domain/kernel/context';
import { type Command, Option } from 'commander';
import { issueKey } from '../kernel/api-key';
import { describeDatabase } from '../stores/database-url';
import type { Store } from '../stores/store';
import { createCommandContext, getOperator } from './operator';
import { OperatorError } from './operator-error';
import { databaseOption, jsonOption, parseName } from './options';
import { printList, printResult, type Streams } from './output';
import { withStore, withStoreToRead } from './with-store';

/**
 * Returns the account that an option names.
 *
 * @throws OperatorError if it does not exist.
 */
export async function requireAccount(
  { accounts }: Pick<Store, 'accounts'>,
  id: string,
  database: string,
): Promise<Account> {
  const account = await accounts.findAccount(id);
  if (account !== null) return account;
  throw new OperatorError(
    `Account ${id} does not exist in ${describeDatabase(database)}. See accounts list.`,
  );
}

interface CreateOptions {
  database: string;
  kind: AccountKind;
  name?: string;
  json?: boolean;
}

async function createRun(options: CreateOptions, streams: Streams): Promise<void> {
  const context = createCommandContext();
  const account = createAccount(options.kind, options.name ?? options.kind, context);
  const key = { accountId: account.id, readOnly: false, expiresAt: null };
  const { record, apiKey } = issueKey(key, context);
  const { id, kind } = account;
  const operator = getOperator();
  const audit = [
    auditAccount(operator, 'account.created', account, { kind }, context),
    auditKey(operator, 'key.created', record, context),
  ];
  await withStore(options.database, (store) => store.accounts.addAccount(account, record, audit));
  printResult(streams, { id, kind, apiKey }, options.json);
  streams.stderr.write('The API key is shown only once. Store it in a safe place.\n');
}

async function listRun(
  options: { database: string; json?: boolean },
  streams: Streams,
): Promise<void> {
  const accounts = await withStoreToRead(options.database, (store) =>
    store.accounts.listAccounts(),
  );
  const items = accounts.map((account) => ({
    ...account,
    createdAt: formatTimestamp(account.createdAt),
  }));
  printList(streams, items, { json: options.json, none: 'No accounts.' });
}

/** `tradepost-server accounts`. */
export function addAccountCommands(program: Command, streams: Streams): void {
  const accounts = program.command('accounts').description('create and list accounts');
  accounts
    .command('create')
    .description('create an account and its first API key')
    .addOption(
      new Option('--kind <kind>', 'the kind of account')
        .choices(accountKinds)
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'the display name', parseName)
    .addOption(jsonOption())
    .addOption(databaseOption())
    .action((options: CreateOptions) => createRun(options, streams));
  accounts
    .command('list')
    .description('list accounts, newest first')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => listRun(options, streams));
}
