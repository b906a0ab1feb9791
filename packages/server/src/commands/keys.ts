import { type Command, InvalidArgumentError } from 'commander';
import { type ApiKey, issueKey } from '../accounts/api-key';
import { systemClock, timestamp } from '../clock';
import { databaseOption, jsonOption } from '../config';
import { createIds } from '../ids';
import { present } from '../moment';
import { OperatorError } from './operator-error';
import { printResult, type Streams } from './output';
import { withExistingStore } from './with-store';

interface Shared {
  database: string;
  json?: boolean;
}

const unitLengths: Record<string, number> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads a span such as `90d`, `12h` or `30m`, in milliseconds. */
export function readSpan(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const length = unitLengths[unit ?? ''];
  if (length === undefined) {
    throw new InvalidArgumentError('It must be a span such as 90d, 12h or 30m.');
  }
  return Number(count) * length;
}

function showKey(key: ApiKey): Record<string, unknown> {
  const { id, accountId, hint, readOnly, createdAt, expiresAt, revokedAt } = key;
  return {
    id,
    accountId,
    hint,
    readOnly,
    createdAt: timestamp(createdAt),
    expiresAt: expiresAt === null ? null : timestamp(expiresAt),
    revokedAt: revokedAt === null ? null : timestamp(revokedAt),
  };
}

async function createRun(
  options: Shared & { account: string; readOnly?: boolean; expires?: number },
  streams: Streams,
): Promise<void> {
  const { account: accountId, readOnly = false, expires } = options;
  const moment = present(systemClock, createIds());
  const expiresAt = expires === undefined ? null : moment.now + expires;
  const { record, apiKey } = issueKey({ accountId, readOnly, expiresAt }, moment);
  await withExistingStore(options.database, async ({ accounts }) => {
    if ((await accounts.findAccount(accountId)) === null) {
      throw new OperatorError(`There is no account ${accountId} in ${options.database}.`);
    }
    await accounts.addKey(record);
  });
  printResult(streams, { id: record.id, apiKey }, options.json);
  streams.stderr.write('The API key is shown this once. Keep it where secrets are kept.\n');
}

async function listRun(options: Shared & { account?: string }, streams: Streams): Promise<void> {
  const keys = await withExistingStore(options.database, ({ accounts }) =>
    accounts.listKeys(options.account),
  );
  const shown = keys.map(showKey);
  if (options.json) {
    streams.stdout.write(`${JSON.stringify(shown)}\n`);
    return;
  }
  if (shown.length === 0) streams.stderr.write('There are no keys.\n');
  for (const key of shown) {
    printResult(streams, key, false);
    streams.stdout.write('\n');
  }
}

async function revokeRun(id: string, options: Shared, streams: Streams): Promise<void> {
  const key = await withExistingStore(options.database, ({ accounts }) =>
    accounts.revokeKey(id, systemClock.now()),
  );
  if (key === null) {
    throw new OperatorError(`There is no key ${id} in ${options.database}. See keys list.`);
  }
  printResult(streams, showKey(key), options.json);
}

/** `tradepost-server keys`. */
export function addKeyCommands(program: Command, streams: Streams): void {
  const keys = program.command('keys').description('issue, list and revoke API keys');
  keys
    .command('create')
    .description('issue an API key of an account')
    .requiredOption('--account <id>', 'the account, usr_<id>')
    .option('--read-only', 'a key that may not change anything')
    .option('--expires <span>', 'how long it is good, such as 90d, 12h or 30m', readSpan)
    .addOption(jsonOption())
    .addOption(databaseOption())
    .action((options) => createRun(options, streams));
  keys
    .command('list')
    .description('list API keys, newest first; the keys themselves are kept nowhere')
    .option('--account <id>', 'of this account alone')
    .addOption(jsonOption())
    .addOption(databaseOption())
    .action((options) => listRun(options, streams));
  keys
    .command('revoke')
    .description('make an API key useless, at once and for good')
    .argument('<id>', 'the key, key_<id>')
    .addOption(jsonOption())
    .addOption(databaseOption())
    .action((id, options) => revokeRun(id, options, streams));
}
