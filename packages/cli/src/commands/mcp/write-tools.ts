import {
  allEventTypes,
  type Delivery,
  type DeliveryListParams,
  deliveryStates,
  type OrderStatus,
  orderStatuses,
} from '@tradepost/sdk';
import { requireExtension } from '../../client/extensions';
import { CliError } from '../../errors/cli-error';
import { describeReason } from '../../report/error-report';
import { createPausedError } from '../webhooks/endpoint-view';
import { createInputs, maxItems, type Toolbox } from './read-tools';
import type { Client, Tool, ToolRequest } from './tool';

/** What a change did. */
interface Change {
  id: string;
  before: string;
  after: string;
  /** Whether this call made the change. */
  changed: boolean;
}

const maxPlans = 20;

/**
 * Creates the tools that change something. Each reads the state first, changes nothing if it is not the
 * expected one, and returns the state before and after.
 */
export function createWriteTools({ client, protocol, outputs }: Toolbox): Tool[] {
  const { array, int, looseObject, oneOf, string } = protocol;
  const { id, ofId, time, paging } = createInputs(protocol);
  const { change, page, delivery } = outputs;
  /** What was planned, by the name of the plan. */
  const plans = new Map<string, readonly Delivery[]>();
  let planned = 0;
  return [
    {
      name: 'set_order_status',
      title: 'Change the status of an order',
      description:
        'Moves an order from one status to another. It changes nothing if the order has another status than `from`, or is changed concurrently. `completed` and `cancelled` are final.',
      input: {
        id: id('order', 'ord'),
        from: oneOf(orderStatuses).describe('the status that the order has now'),
        to: oneOf(orderStatuses),
        reason: string()
          .min(1)
          .max(500)
          .optional()
          .describe('why, on one line: all parties of the order see it in its history'),
      },
      output: change,
      change: { isDestructive: true, isIdempotent: true, isOpenWorld: true },
      run: (args, request) => setOrderStatus(client, args as unknown as StatusChange, request),
    },
    {
      name: 'mark_notification_read',
      title: 'Mark a notification as read',
      description: 'Marks one notification as read, whether or not it was unread.',
      input: { id: id('notification', 'ntf') },
      output: outputs.notification.pick({ id: true, read: true }),
      change: { isDestructive: false, isIdempotent: true, isOpenWorld: false },
      async run(args, request) {
        const { id, read } = await client.notifications.markRead(String(args.id), request);
        return { id, read };
      },
    },
    {
      name: 'pause_webhook',
      title: 'Pause a webhook',
      description: 'Pauses the deliveries to an active webhook. They wait for at most 24 hours.',
      input: { id: id('webhook', 'whk') },
      output: change,
      change: { isDestructive: true, isIdempotent: true, isOpenWorld: false },
      run: (args, request) => setWebhookStatus(client, String(args.id), 'paused', request),
    },
    {
      name: 'resume_webhook',
      title: 'Resume a webhook',
      description:
        'Resumes the deliveries to a webhook that is paused, or that the service disabled because its endpoint kept failing.',
      input: { id: id('webhook', 'whk') },
      output: change,
      change: { isDestructive: false, isIdempotent: true, isOpenWorld: true },
      run: (args, request) => setWebhookStatus(client, String(args.id), 'active', request),
    },
    {
      name: 'replay_delivery',
      title: 'Send a delivery again',
      description: 'Sends a failed or delivered event again, with the same bytes.',
      input: {
        id: id('delivery', 'dlv'),
        from: string().describe('the state that the delivery has now'),
      },
      output: change,
      change: { isDestructive: false, isIdempotent: false, isOpenWorld: true },
      run: (args, request) => replay(client, String(args.id), String(args.from), request),
    },
    {
      name: 'plan_replay',
      title: 'Plan to send deliveries again',
      description:
        'Selects deliveries, newest first: without a state, those that failed. It changes nothing. Show the plan to the user: run_replay sends exactly these.',
      input: {
        webhookId: ofId('webhook', 'whk'),
        state: oneOf(deliveryStates).default('failed'),
        event: oneOf(allEventTypes).optional(),
        since: time('only deliveries queued at or after this time'),
        until: time('only deliveries queued before this time'),
        ...paging,
      },
      output: page(delivery).extend({ plan: string().describe('for run_replay, once') }),
      async run(args, request) {
        const found = await client.deliveries.list(args as DeliveryListParams, request);
        planned += 1;
        const plan = `plan_${planned}`;
        plans.set(plan, found.data);
        // Those that were never run.
        if (plans.size > maxPlans) plans.delete(plans.keys().next().value as string);
        return { plan, data: found.data, nextCursor: found.nextCursor };
      },
    },
    {
      name: 'run_replay',
      title: 'Send planned deliveries again',
      description: `Sends the deliveries of a plan again, at most ${maxItems}. One whose state has changed since is left out.`,
      input: { plan: string().describe('plan of plan_replay') },
      output: looseObject({
        replayed: int(),
        failed: array(looseObject({ id: string(), problem: string() })),
      }),
      change: { isDestructive: false, isIdempotent: false, isOpenWorld: true },
      async run({ plan }, request) {
        const selected = plans.get(String(plan));
        if (selected === undefined) {
          throw new CliError('usage', `There is no plan ${plan}, or it was run`);
        }
        for (const webhookId of new Set(selected.map((delivery) => delivery.webhookId))) {
          await assertActive(client, webhookId, request);
        }
        plans.delete(String(plan));
        const failed: { id: string; problem: string }[] = [];
        for (const { id, state } of selected) {
          try {
            await replay(client, id, state, request);
          } catch (error) {
            failed.push({ id, problem: describeReason(error) });
          }
        }
        return { replayed: selected.length - failed.length, failed };
      },
    },
  ];
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
  request: ToolRequest,
): Promise<Change> {
  const move = await orders.move(
    id,
    { from, to, reason },
    {
      ...request,
      beforeUpdate(_, { extensions }) {
        if (reason !== undefined) requireExtension('orders.reason', 'reason', extensions);
      },
    },
  );
  const { outcome, order } = move;
  if (outcome === 'unknown') {
    throw new CliError('in_doubt', `The response was lost; the order is ${order.status} now`);
  }
  if (outcome === 'skipped') assertState('order', id, order.status, from);
  return { id, before: move.from, after: order.status, changed: outcome === 'moved' };
}

async function setWebhookStatus(
  { webhooks }: Client,
  id: string,
  status: 'active' | 'paused',
  request: ToolRequest,
): Promise<Change> {
  const before = (await webhooks.get(id, request)).status;
  if (before === status) return { id, before, after: before, changed: false };
  if (status === 'paused') assertState('webhook', id, before, 'active');
  const after = (await webhooks.update(id, { status }, request)).status;
  return { id, before, after, changed: true };
}

async function replay(
  client: Client,
  id: string,
  from: string,
  request: ToolRequest,
): Promise<Change> {
  const { deliveries } = client;
  const { state: before, webhookId } = await deliveries.get(id, request);
  assertState('delivery', id, before, from);
  await assertActive(client, webhookId, request);
  const after = (await deliveries.replay(id, request)).state;
  return { id, before, after, changed: true };
}

/** @throws {CliError} `webhook_paused`: what is replayed would wait */
async function assertActive({ webhooks }: Client, id: string, request: ToolRequest): Promise<void> {
  const webhook = await webhooks.get(id, request);
  if (webhook.status === 'paused') throw createPausedError(webhook);
}

/** @throws {CliError} `precondition_failed` for another state than the expected one */
function assertState(noun: string, id: string, state: string, expected: string): void {
  if (state === expected) return;
  throw new CliError(
    'precondition_failed',
    `The ${noun} ${id} is ${state}, not ${expected}. Nothing changed`,
  );
}
