import { type AccountKind, accountKinds } from '@tradepost/contract/wire';
import { type Account, type ApiKey, createAccount } from '@tradepost/domain/accounts/account';
import { auditAccount, auditKey } from '@tradepost/domain/accounts/account-audit';
import { isValid } from '@tradepost/domain/accounts/authentication';
import { resumeAccount, suspendAccount } from '@tradepost/domain/accounts/suspension';
import type { AuditEntry } from '@tradepost/domain/audit/audit-log';
import { type CommandContext, formatTimestamp } from '@tradepost/domain/kernel/context';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import { type Command, Option } from 'commander';
import { issueKey } from '../kernel/api-key';
import { describeDatabase } from '../stores/database-url';
import type { Store } from '../stores/store';
import { createCommandContext, getOperator } from './operator';
import { OperatorError } from './operator-error';
import { databaseOption, jsonOption, parseName } from './options';
import { printList, printResult, type Streams, showSetting } from './output';
import { withExistingStore, withStore, withStoreToRead } from './with-store';

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

/**
 * Returns the account that is to get something.
 *
 * @throws OperatorError if it does not exist or was erased.
 */
export async function requireAccountToUse(
  store: Pick<Store, 'accounts'>,
  id: string,
  database: string,
): Promise<Account> {
  const account = await requireAccount(store, id, database);
  if (account.erasedAt === null) return account;
  throw new OperatorError(
    `Account ${id} was erased, which cannot be undone. Nothing is added to it.`,
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

/**
 * Returns what an operator sees of an account.
 *
 * @param asJson False for people: `default` for each limit and each time of retention that is not set.
 */
export function formatAccount(
  account: Account,
  asJson: boolean | undefined,
): Record<string, unknown> {
  const { id, kind, name, createdAt, suspendedAt, suspensionReason, erasedAt } = account;
  const { requestsPerMinute, maxWebhooks, maxOpenDeliveries } = account;
  const { keepDeliveries, keepNotifications, keepUnreadNotifications } = account;
  const orNull = (time: number | null) => (time === null ? null : formatTimestamp(time));
  const show = (setting: number | null) => showSetting(setting, asJson);
  return {
    id,
    kind,
    name,
    state: erasedAt !== null ? 'erased' : suspendedAt !== null ? 'suspended' : 'active',
    createdAt: formatTimestamp(createdAt),
    suspendedAt: orNull(suspendedAt),
    suspensionReason,
    erasedAt: orNull(erasedAt),
    requestsPerMinute: show(requestsPerMinute),
    maxWebhooks: show(maxWebhooks),
    maxOpenDeliveries: show(maxOpenDeliveries),
    keepDeliveries: show(keepDeliveries),
    keepNotifications: show(keepNotifications),
    keepUnreadNotifications: show(keepUnreadNotifications),
  };
}

/** How much an account may be used: its valid keys, and its sessions that have not ended. */
interface KeyCounts {
  keys: number;
  sessions: number;
}

/** Counts what can be used now among the keys of any number of accounts, in one pass. Returns the counts of an account. */
function countKeys(all: readonly ApiKey[]): (accountId: string) => KeyCounts {
  const { now } = createCommandContext();
  const counts = new Map<string, KeyCounts>();
  const of = (accountId: string) => counts.get(accountId) ?? { keys: 0, sessions: 0 };
  for (const key of all) {
    if (!isValid(key, now)) continue;
    const { keys, sessions } = of(key.accountId);
    counts.set(
      key.accountId,
      key.isSession ? { keys, sessions: sessions + 1 } : { keys: keys + 1, sessions },
    );
  }
  return of;
}

async function listRun(
  { database, json }: { database: string; json?: boolean },
  streams: Streams,
): Promise<void> {
  const [accounts, keys] = await withStoreToRead(
    database,
    async (store) =>
      [await store.accounts.listAccounts(), await store.accounts.listKeys()] as const,
  );
  const counts = countKeys(keys);
  const listed = accounts.map((account) => ({
    ...formatAccount(account, json),
    ...counts(account.id),
  }));
  printList(streams, listed, { json, none: 'No accounts.' });
}

interface StateOptions {
  database: string;
  reason?: string;
  json?: boolean;
}

async function showRun(id: string, options: StateOptions, streams: Streams): Promise<void> {
  const { database, json } = options;
  const shown = await withStoreToRead(database, async (store) => {
    const account = await requireAccount(store, id, database);
    const keys = await store.accounts.listKeys(id);
    const webhooks = await store.webhooks.listAllWebhooks(id);
    return {
      ...formatAccount(account, json),
      ...countKeys(keys)(id),
      webhooks: webhooks.length,
      pendingDeliveries: webhooks.reduce((sum, { health }) => sum + health.pending, 0),
    };
  });
  printResult(streams, shown, json);
}

/** Changes the state of an account, and prints it. */
async function changeState(
  id: string,
  { database, json }: StateOptions,
  streams: Streams,
  decide: (
    found: Account,
    context: CommandContext,
  ) => { account: Account; audit: AuditEntry | null },
): Promise<void> {
  const context = createCommandContext();
  const changed = await withExistingStore(database, async (store) => {
    await requireAccount(store, id, database);
    return await store.accounts.changeAccount({ id, context }, (found) => {
      if (found === null) throw missingRecord('Account', id);
      return decide(found, context);
    });
  });
  printResult(streams, formatAccount(changed, json), json);
}

function suspendRun(id: string, options: StateOptions, streams: Streams): Promise<void> {
  return changeState(id, options, streams, (found, context) => {
    const { reason = null } = options;
    const account = suspendAccount(found, reason, context.now);
    const isSame =
      found.suspendedAt !== null && found.suspensionReason === account.suspensionReason;
    const audit = isSame
      ? null
      : auditAccount(getOperator(), 'account.suspended', account, { reason }, context);
    return { account, audit };
  });
}

function resumeRun(id: string, options: StateOptions, streams: Streams): Promise<void> {
  return changeState(id, options, streams, (found, context) => {
    if (found.erasedAt !== null) {
      throw new OperatorError(
        `Account ${id} was erased, which cannot be undone. It stays suspended.`,
      );
    }
    const account = resumeAccount(found);
    const isSame = found.suspendedAt === null;
    const audit = isSame
      ? null
      : auditAccount(getOperator(), 'account.resumed', account, {}, context);
    return { account, audit };
  });
}

/** `tradepost-server accounts`. */
export function addAccountCommands(program: Command, streams: Streams): void {
  const accounts = program
    .command('accounts')
    .description('create, list, suspend and resume accounts');
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
    .description('list accounts with their state, keys and sessions, newest first')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => listRun(options, streams));
  accounts
    .command('show')
    .description('show an account, its state and how much it has')
    .argument('<id>', 'the account, usr_<id>')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((id, options) => showRun(id, options, streams));
  accounts
    .command('suspend')
    .description(
      'refuse the keys of an account and hold its deliveries, at once and in all processes',
    )
    .argument('<id>', 'the account, usr_<id>')
    .option('--reason <text>', 'why, for other operators; the account does not see it', parseName)
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((id, options) => suspendRun(id, options, streams));
  accounts
    .command('resume')
    .description('let the keys of a suspended account work again, and send its deliveries')
    .argument('<id>', 'the account, usr_<id>')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((id, options) => resumeRun(id, options, streams));
}
