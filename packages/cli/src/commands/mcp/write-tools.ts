import { type OrderStatus, orderStatuses } from '@tradepost/sdk';
import { requireExtension } from '../../client/extensions';
import { readEntityTag } from '../../client/read-entity-tag';
import { CliError } from '../../errors/cli-error';
import { mayHaveBeenApplied } from '../../errors/exit-codes';
import type { Client, Schemas, Tool } from './tool';

type Request = Parameters<Tool['run']>[1];

/** What a change did. */
interface Change {
  id: string;
  before: string | null;
  after: string | null;
  /** Whether this call made the change. */
  changed: boolean;
}

/**
 * Creates the tools that change something. Each reads the state first, changes nothing if it is not the
 * expected one, and returns the state before and after.
 */
export function createWriteTools(client: Client, { string, oneOf }: Schemas): Tool[] {
  const id = (noun: string, prefix: string) => string().describe(`ID of the ${noun}, ${prefix}_…`);
  return [
    writeTool(
      'set_order_status',
      'Change the status of an order',
      'Moves an order from one status to another. It changes nothing if the order has another status than `from`, or is changed concurrently. `completed` and `cancelled` are final.',
      {
        id: id('order', 'ord'),
        from: oneOf(orderStatuses).describe('the status that the order has now'),
        to: oneOf(orderStatuses),
        reason: string()
          .min(1)
          .max(500)
          .optional()
          .describe('why, on one line: all parties of the order see it in its history'),
      },
      (args, request) => setOrderStatus(client, args as unknown as StatusChange, request),
    ),
    writeTool(
      'mark_notification_read',
      'Mark a notification as read',
      'Marks one unread notification as read.',
      { id: id('notification', 'ntf') },
      (args, request) => markRead(client, String(args.id), request),
    ),
    writeTool(
      'pause_webhook',
      'Pause a webhook',
      'Pauses the deliveries to an active webhook. They wait for at most 24 hours.',
      { id: id('webhook', 'whk') },
      (args, request) => setWebhookStatus(client, String(args.id), 'paused', request),
    ),
    writeTool(
      'resume_webhook',
      'Resume a webhook',
      'Resumes the deliveries to a webhook that is paused or disabled.',
      { id: id('webhook', 'whk') },
      (args, request) => setWebhookStatus(client, String(args.id), 'active', request),
    ),
    writeTool(
      'replay_delivery',
      'Send a delivery again',
      'Sends a failed or delivered event again, with the same bytes.',
      { id: id('delivery', 'dlv'), from: string().describe('the state that the delivery has now') },
      (args, request) => replay(client, String(args.id), String(args.from), request),
    ),
  ];
}

function writeTool(
  name: string,
  title: string,
  description: string,
  input: Tool['input'],
  run: Tool['run'],
): Tool {
  return { name, title, description, input, isChange: true, run };
}

interface StatusChange {
  id: string;
  from: OrderStatus;
  to: OrderStatus;
  reason?: string;
}

async function setOrderStatus(
  { orders }: Client,
  { id, from, to, reason }: StatusChange,
  request: Request,
): Promise<Change> {
  const { data: found, headers, extensions } = await orders.get(id, request).withResponse();
  if (reason !== undefined) requireExtension('orders.reason', 'reason', extensions);
  if (found.status === to) return { id, before: to, after: to, changed: false };
  assertState('order', id, found.status, from);
  const ifMatch = readEntityTag(headers) ?? undefined;
  try {
    const response = await orders
      .update(id, { status: to, ...(reason !== undefined && { reason }) }, { ...request, ifMatch })
      .withResponse();
    const changed = response.headers.get('tradepost-changed') !== 'false';
    return { id, before: changed ? from : to, after: response.data.status, changed };
  } catch (error) {
    if (!mayHaveBeenApplied(error)) throw error;
    const now = await orders.get(id, request).safe();
    const state = now.ok ? `the order is ${now.data.status} now` : 'read the order again';
    throw new CliError('in_doubt', `The response was lost; ${state}`);
  }
}

async function markRead({ notifications }: Client, id: string, request: Request): Promise<Change> {
  const { data } = await notifications.list({ read: false, limit: 100 }, request);
  const found = data.find((notification) => notification.id === id);
  await notifications.markRead(id, request);
  const wasUnread = found?.read === false;
  return { id, before: wasUnread ? 'unread' : null, after: 'read', changed: wasUnread };
}

async function setWebhookStatus(
  { webhooks }: Client,
  id: string,
  status: 'active' | 'paused',
  request: Request,
): Promise<Change> {
  const before = (await webhooks.get(id, request)).status;
  if (before === status) return { id, before, after: before, changed: false };
  if (status === 'paused') assertState('webhook', id, before, 'active');
  const after = (await webhooks.update(id, { status }, request)).status;
  return { id, before, after, changed: true };
}

async function replay(
  { deliveries }: Client,
  id: string,
  from: string,
  request: Request,
): Promise<Change> {
  const before = (await deliveries.get(id, request)).state;
  assertState('delivery', id, before, from);
  const after = (await deliveries.replay(id, request)).state;
  return { id, before, after, changed: true };
}

/** @throws {CliError} `precondition_failed` for another state than the expected one */
function assertState(noun: string, id: string, state: string, expected: string): void {
  if (state === expected) return;
  throw new CliError(
    'precondition_failed',
    `The ${noun} ${id} is ${state}, not ${expected}. Nothing changed`,
  );
}
