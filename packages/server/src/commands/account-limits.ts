import { type AccountLimits, changeLimits, limitBounds } from '@tradepost/domain/accounts/limits';
import type { Command } from 'commander';
import { withSettings } from './account-settings';
import { databaseOption, jsonOption, parseIntegerOrDefault } from './options';
import { printResult, type Streams, showSetting } from './output';

interface LimitsOptions {
  database: string;
  json?: boolean;
  requestsPerMinute?: number | 'default';
  webhooks?: number | 'default';
  openDeliveries?: number | 'default';
}

async function limitsRun(id: string, options: LimitsOptions, streams: Streams): Promise<void> {
  const { database, json } = options;
  const { requestsPerMinute, webhooks: maxWebhooks, openDeliveries: maxOpenDeliveries } = options;
  const given = { requestsPerMinute, maxWebhooks, maxOpenDeliveries };
  const settings = { id, database, given, action: 'account.limits_changed' } as const;
  const shown = await withSettings(settings, changeLimits, async (store, account) => {
    const webhooks = await store.webhooks.listAllWebhooks(id);
    const show = (limit: number | null) => showSetting(limit, json);
    return {
      id,
      requestsPerMinute: show(account.requestsPerMinute),
      maxWebhooks: show(account.maxWebhooks),
      webhooks: webhooks.length,
      maxOpenDeliveries: show(account.maxOpenDeliveries),
      openDeliveries: webhooks.reduce((sum, { health }) => sum + health.pending, 0),
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
