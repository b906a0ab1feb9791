import { systemClock } from '@tradepost/domain/kernel/context';
import { toWebhookDetailsResponse } from '@tradepost/domain/webhooks/webhook';
import type { Command } from 'commander';
import { requireAccount } from './accounts';
import { databaseOption, jsonOption } from './options';
import { printList, type Streams } from './output';
import { withStoreToRead } from './with-store';

async function listRun(
  options: { database: string; account?: string; json?: boolean },
  streams: Streams,
): Promise<void> {
  const { account, database } = options;
  const webhooks = await withStoreToRead(database, async (store) => {
    if (account !== undefined) await requireAccount(store, account, database);
    return store.webhooks.listAllWebhooks(account);
  });
  const items = webhooks.map((webhook) => {
    const { id, ...details } = toWebhookDetailsResponse(webhook, systemClock.now());
    return { id, accountId: webhook.accountId, ...details };
  });
  printList(streams, items, { json: options.json, none: 'No webhooks.' });
}

/** `tradepost-server webhooks`. */
export function addWebhookCommands(program: Command, streams: Streams): void {
  const webhooks = program.command('webhooks').description('list webhooks');
  webhooks
    .command('list')
    .description('list webhooks and the state of their deliveries, newest first; without secrets')
    .option('--account <id>', 'only webhooks of this account')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => listRun(options, streams));
}
