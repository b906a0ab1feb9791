import type { ApiKey } from '@tradepost/domain/accounts/account';
import { auditKey } from '@tradepost/domain/accounts/account-audit';
import { formatTimestamp } from '@tradepost/domain/kernel/context';
import type { Command } from 'commander';
import { issueKey } from '../kernel/api-key';
import { describeDatabase } from '../stores/database-url';
import { requireAccount, requireAccountToUse } from './accounts';
import { createCommandContext, getOperator } from './operator';
import { OperatorError } from './operator-error';
import { databaseOption, jsonOption, parseLifetime, parseName } from './options';
import { printList, printResult, type Streams } from './output';
import { withExistingStore, withStoreToRead } from './with-store';

interface Shared {
  database: string;
  json?: boolean;
}

/** Returns what an operator sees of a key. */
export function formatKey(key: ApiKey): Record<string, unknown> {
  const { id, accountId, name, isSession, prefix, readOnly, parentId } = key;
  const { createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  return {
    id,
    accountId,
    name,
    kind: isSession ? 'session' : 'key',
    prefix,
    readOnly,
    createdBy: parentId,
    createdAt: formatTimestamp(createdAt),
    expiresAt: expiresAt === null ? null : formatTimestamp(expiresAt),
    revokedAt: revokedAt === null ? null : formatTimestamp(revokedAt),
    lastUsedAt: lastUsedAt === null ? null : formatTimestamp(lastUsedAt),
  };
}

async function createRun(
  options: Shared & { account: string; name?: string; readOnly?: boolean; expires?: number },
  streams: Streams,
): Promise<void> {
  const { account: accountId, name = null, readOnly = false, expires } = options;
  const context = createCommandContext();
  const expiresAt = expires === undefined ? null : context.now + expires;
  const { record, apiKey } = issueKey({ accountId, name, readOnly, expiresAt }, context);
  await withExistingStore(options.database, async (store) => {
    await requireAccountToUse(store, accountId, options.database);
    await store.accounts.addKey(record, auditKey(getOperator(), 'key.created', record, context));
  });
  printResult(streams, { id: record.id, apiKey }, options.json);
  streams.stderr.write('The API key is shown only once. Store it in a safe place.\n');
}

async function listRun(options: Shared & { account?: string }, streams: Streams): Promise<void> {
  const { account, database } = options;
  const keys = await withStoreToRead(database, async (store) => {
    if (account !== undefined) await requireAccount(store, account, database);
    return store.accounts.listKeys(account);
  });
  const listed = keys
    .map(formatKey)
    .map((key) => (options.json ? key : { ...key, lastUsedAt: key.lastUsedAt ?? 'never used' }));
  printList(streams, listed, { json: options.json, none: 'No keys.' });
}

async function revokeRun(id: string, options: Shared, streams: Streams): Promise<void> {
  const context = createCommandContext();
  const key = await withExistingStore(options.database, ({ accounts }) =>
    accounts.revokeKey(id, context.now, (revoked) =>
      auditKey(getOperator(), 'key.revoked', revoked, context),
    ),
  );
  if (key === null) {
    throw new OperatorError(
      `Key ${id} does not exist in ${describeDatabase(options.database)}. See keys list.`,
    );
  }
  printResult(streams, formatKey(key), options.json);
}

/** `tradepost-server keys`. */
export function addKeyCommands(program: Command, streams: Streams): void {
  const keys = program.command('keys').description('create, list and revoke API keys');
  keys
    .command('create')
    .description('create an API key for an account')
    .requiredOption('--account <id>', 'the account, usr_<id>')
    .option('--name <name>', 'what people call it', parseName)
    .option('--read-only', 'a key that cannot change anything')
    .option('--expires <duration>', 'when it expires, such as 90d, 12h or 30m', parseLifetime)
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => createRun(options, streams));
  keys
    .command('list')
    .description('list API keys and sessions, newest first; the keys themselves are not stored')
    .option('--account <id>', 'only keys of this account')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => listRun(options, streams));
  keys
    .command('revoke')
    .description('revoke an API key and its sessions, immediately and permanently')
    .argument('<id>', 'the key, key_<id>')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((id, options) => revokeRun(id, options, streams));
}
