import { auditAccount } from '@tradepost/domain/accounts/account-audit';
import { type AccountLimits, changeLimits, limitBounds } from '@tradepost/domain/accounts/limits';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import type { Command } from 'commander';
import type { Store } from '../stores/store';
import { requireAccount } from './accounts';
import { createCommandContext, getOperator } from './operator';
import { databaseOption, jsonOption, parseIntegerOrDefault } from './options';
import { printResult, type Streams } from './output';
import { withExistingStore, withStoreToRead } from './with-store';

interface LimitsOptions {
  database: string;
  json?: boolean;
  requestsPerMinute?: number | 'default';
  webhooks?: number | 'default';
  openDeliveries?: number | 'default';
}

/** Returns the limits that the options name. */
function readLimits(options: LimitsOptions): Partial<AccountLimits> {
  const { requestsPerMinute, webhooks: maxWebhooks, openDeliveries: maxOpenDeliveries } = options;
  const given = Object.entries({ requestsPerMinute, maxWebhooks, maxOpenDeliveries })
    .filter(([, limit]) => limit !== undefined)
    .map(([name, limit]) => [name, limit === 'default' ? null : limit]);
  return Object.fromEntries(given);
}

/** Changes the limits that are given, with an entry of the audit log unless nothing changes. */
async function change(store: Store, id: string, limits: Partial<AccountLimits>): Promise<void> {
  const context = createCommandContext();
  await store.accounts.changeAccount({ id, context }, (found) => {
    if (found === null) throw missingRecord('Account', id);
    const { account, changes } = changeLimits(found, limits);
    if (Object.keys(changes).length === 0) return { account, audit: null };
    const action = 'account.limits_changed';
    return { account, audit: auditAccount(getOperator(), action, account, changes, context) };
  });
}

async function limitsRun(id: string, options: LimitsOptions, streams: Streams): Promise<void> {
  const { database, json } = options;
  const limits = readLimits(options);
  const isChange = Object.keys(limits).length > 0;
  const run = isChange ? withExistingStore : withStoreToRead;
  const shown = await run(database, async (store) => {
    await requireAccount(store, id, database);
    if (isChange) await change(store, id, limits);
    const { requestsPerMinute, maxWebhooks, maxOpenDeliveries } = await requireAccount(
      store,
      id,
      database,
    );
    const webhooks = await store.webhooks.listAllWebhooks(id);
    const show = (limit: number | null) => (json ? limit : (limit ?? 'default'));
    return {
      id,
      requestsPerMinute: show(requestsPerMinute),
      maxWebhooks: show(maxWebhooks),
      webhooks: webhooks.length,
      maxOpenDeliveries: show(maxOpenDeliveries),
      openDeliveries: webhooks.reduce((sum, { stats }) => sum + stats.pending, 0),
    };
  });
  printResult(streams, shown, json);
}

/** `tradepost-server accounts limits`. */
export function addAccountLimitCommands(program: Command, streams: Streams): void {
  const parse = (name: keyof AccountLimits) =>
    parseIntegerOrDefault(limitBounds[name].min, limitBounds[name].max);
  program.commands
    .find((command) => command.name() === 'accounts')
    ?.command('limits')
    .description('show the limits of an account, or change them, also while a server runs')
    .argument('<id>', 'the account, usr_<id>')
    .option(
      '--requests-per-minute <requests>',
      'of all its keys and sessions together; default for --account-rate-limit of the server',
      parse('requestsPerMinute'),
    )
    .option('--webhooks <webhooks>', 'how many it may have, or default', parse('maxWebhooks'))
    .option(
      '--open-deliveries <deliveries>',
      'how many may be pending; further ones fail at once and can be replayed; or default',
      parse('maxOpenDeliveries'),
    )
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((id, options) => limitsRun(id, options, streams));
}
