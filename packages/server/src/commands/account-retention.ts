import {
  type AccountRetention,
  changeRetention,
  retentionBounds,
} from '@tradepost/domain/accounts/retention';
import type { Command } from 'commander';
import { withSettings } from './account-settings';
import { UsageError } from './operator-error';
import { databaseOption, jsonOption, parseIntegerOrDefault } from './options';
import { printResult, type Streams, showSetting } from './output';

interface RetentionOptions {
  database: string;
  json?: boolean;
  deliveries?: number | 'default';
  notifications?: number | 'default';
  unreadNotifications?: number | 'default';
}

/** Applies the rule, whose errors are of the command line. */
const change: typeof changeRetention = (account, times) => {
  try {
    return changeRetention(account, times);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`${error.message} See --notifications and --unread-notifications.`);
  }
};

async function retentionRun(
  id: string,
  options: RetentionOptions,
  streams: Streams,
): Promise<void> {
  const { database, json } = options;
  const given = {
    keepDeliveries: options.deliveries,
    keepNotifications: options.notifications,
    keepUnreadNotifications: options.unreadNotifications,
  };
  const settings = { id, database, given, action: 'account.retention_changed' } as const;
  const shown = await withSettings(settings, change, (_store, account) => {
    const show = (days: number | null) => showSetting(days, json);
    return {
      id,
      keepDeliveries: show(account.keepDeliveries),
      keepNotifications: show(account.keepNotifications),
      keepUnreadNotifications: show(account.keepUnreadNotifications),
    };
  });
  printResult(streams, shown, json);
}

/** `tradepost-server accounts retention`. */
export function addAccountRetentionCommands(program: Command, streams: Streams): void {
  const parse = (name: keyof AccountRetention) =>
    parseIntegerOrDefault(retentionBounds[name].min, retentionBounds[name].max);
  program.commands
    .find((command) => command.name() === 'accounts')
    ?.command('retention')
    .description(
      'show for how many days data of an account is kept, or change it, also while a server runs: the shorter of its own time and that of the server counts',
    )
    .argument('<id>', 'the account, usr_<id>')
    .option(
      '--deliveries <days>',
      'of finished deliveries to its webhooks, with their attempts; their events stay for --keep-events of the server; default for --keep-deliveries',
      parse('keepDeliveries'),
    )
    .option(
      '--notifications <days>',
      'of its read notifications; default for --keep-notifications of the server',
      parse('keepNotifications'),
    )
    .option(
      '--unread-notifications <days>',
      'of its unread notifications, at least as many as --notifications, which it needs; default for --keep-unread-notifications of the server',
      parse('keepUnreadNotifications'),
    )
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((id, options) => retentionRun(id, options, streams));
}
