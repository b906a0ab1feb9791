import type { WebhookStatus } from '@tradepost/contract/wire';
import { systemClock } from '@tradepost/domain/kernel/context';
import {
  toWebhookDetailsResponse,
  type WebhookWithHealth,
} from '@tradepost/domain/webhooks/webhook';
import { auditWebhook } from '@tradepost/domain/webhooks/webhook-audit';
import type { Command } from 'commander';
import { describeDatabase } from '../stores/database-url';
import type { Store } from '../stores/store';
import { requireAccount } from './accounts';
import { createCommandContext, getOperator } from './operator';
import { OperatorError } from './operator-error';
import { databaseOption, jsonOption, requireYes, yesOption } from './options';
import { printList, printResult, type Streams } from './output';
import { withExistingStore, withStoreToRead } from './with-store';

interface WebhookOptions {
  database: string;
  json?: boolean;
}

function formatWebhook(webhook: WebhookWithHealth): Record<string, unknown> {
  const { id, ...details } = toWebhookDetailsResponse(webhook, systemClock.now());
  return { id, accountId: webhook.accountId, ...details };
}

/**
 * Returns a webhook of any account.
 *
 * @throws OperatorError if it does not exist.
 */
export async function requireWebhook(
  { webhooks }: Pick<Store, 'webhooks'>,
  id: string,
  database: string,
): Promise<WebhookWithHealth> {
  const accountId = await webhooks.findOwner(id);
  const found = accountId === null ? null : await webhooks.findWebhook(accountId, id);
  if (found !== null) return found;
  throw new OperatorError(
    `Webhook ${id} does not exist in ${describeDatabase(database)}. See webhooks list.`,
  );
}

async function listRun(
  options: WebhookOptions & { account?: string },
  streams: Streams,
): Promise<void> {
  const { account, database } = options;
  const webhooks = await withStoreToRead(database, async (store) => {
    if (account !== undefined) await requireAccount(store, account, database);
    return store.webhooks.listAllWebhooks(account);
  });
  printList(streams, webhooks.map(formatWebhook), { json: options.json, none: 'No webhooks.' });
}

async function showRun(id: string, options: WebhookOptions, streams: Streams): Promise<void> {
  const { database, json } = options;
  const found = await withStoreToRead(database, (store) => requireWebhook(store, id, database));
  printResult(streams, formatWebhook(found), json);
}

/** Pauses or resumes a webhook, and prints it. */
async function changeStatus(
  id: string,
  status: WebhookStatus,
  { database, json }: WebhookOptions,
  streams: Streams,
): Promise<void> {
  const context = createCommandContext();
  await withExistingStore(database, async (store) => {
    const found = await requireWebhook(store, id, database);
    const { accountId } = found;
    const action = status === 'paused' ? 'webhook.paused' : 'webhook.resumed';
    const audit = auditWebhook(getOperator(), action, found, context);
    await store.webhooks.changeStatus({ accountId, id, status, context }, audit);
    const changed = await requireWebhook(store, id, database);
    printResult(streams, formatWebhook(changed), json);
    const account = await store.accounts.findAccount(accountId);
    if (status === 'active' && (account?.suspendedAt ?? null) !== null) {
      streams.stderr.write(
        `Nothing is sent to it yet, because account ${accountId} is suspended. See accounts resume.\n`,
      );
    }
  });
}

async function deleteRun(
  id: string,
  options: WebhookOptions & { yes?: boolean },
  streams: Streams,
): Promise<void> {
  const { database, json } = options;
  requireYes(options, `Deleting webhook ${id} also deletes its secrets and its deliveries`);
  const context = createCommandContext();
  await withExistingStore(database, async (store) => {
    const found = await requireWebhook(store, id, database);
    const { accountId } = found;
    const audit = auditWebhook(getOperator(), 'webhook.deleted', found, context);
    const deleted = await store.webhooks.deleteWebhook(accountId, id, context.now, audit);
    printResult(streams, { id, accountId, deleted }, json);
  });
}

/** `tradepost-server webhooks`. */
export function addWebhookCommands(program: Command, streams: Streams): void {
  const webhooks = program
    .command('webhooks')
    .description('list, pause, resume and delete webhooks of any account');
  const onWebhook = (name: string, description: string) =>
    webhooks
      .command(name)
      .description(description)
      .argument('<id>', 'the webhook, whk_<id>')
      .addOption(jsonOption())
      .addOption(databaseOption({ mustExist: true }));
  webhooks
    .command('list')
    .description('list webhooks and the state of their deliveries, newest first; without secrets')
    .option('--account <id>', 'only webhooks of this account')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => listRun(options, streams));
  onWebhook('show', 'show a webhook and the state of its deliveries, without secrets').action(
    (id, options) => showRun(id, options, streams),
  );
  onWebhook('pause', 'send nothing to a webhook; its deliveries wait').action((id, options) =>
    changeStatus(id, 'paused', options, streams),
  );
  onWebhook('resume', 'send what waits for a paused webhook').action((id, options) =>
    changeStatus(id, 'active', options, streams),
  );
  onWebhook('delete', 'delete a webhook with its secrets and its deliveries')
    .addOption(yesOption())
    .action((id, options) => deleteRun(id, options, streams));
}
