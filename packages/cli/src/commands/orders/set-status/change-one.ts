import type { Order, OrderStatus } from '@tradepost/sdk';
import { createClient } from '../../../client/create-client';
import type { CliContext } from '../../../context';
import { commandHint } from '../../../errors/cli-error';
import type { GlobalOptions } from '../../../input/options';
import { confirm } from '../../../input/prompt';
import { getTransitions, isFinal, type StatusChange } from '../../../journal/status-change';
import { chooseFormat } from '../../../output/format';
import { printChange, printNotice, writeData } from '../../../output/print';
import { getTerminalWidth, wrap } from '../../../output/text';
import { orderView } from '../order-view';
import {
  changeOrder,
  isPreconditionFailed,
  type OrderChangeResult,
  type OrdersClient,
  unguardedNotice,
} from './change-order';

interface Options extends GlobalOptions {
  yes?: true;
  failOnSkip?: true;
}

/** How often an order is read again that others change at the same time. */
const maxAttempts = 5;

/** Moves one order, and reports its status before and after. */
export async function changeOne(
  id: string,
  change: StatusChange,
  options: Options,
  context: CliContext,
): Promise<void> {
  const format = await chooseFormat(options, orderView, context);
  const isForPeople = options.output === 'table' && options.fields === undefined;
  const { orders } = createClient(context, options);
  const { outcome, order, error } = await changeAsRead(orders, id, change, options, context);
  if (order === null) throw error;
  if (outcome.outcome === 'skipped' && !options.failOnSkip) {
    if (!isForPeople) await writeData(context.stdout, format.formatItem(order));
    return printNotice(context, `${outcome.message}. Nothing changed.`);
  }
  if (error !== null) throw error;
  if (outcome.outcome === 'unchanged') {
    if (!isForPeople) await writeData(context.stdout, format.formatItem(order));
    const dropped = change.reason === undefined ? '' : ' The reason was not stored.';
    return printNotice(context, `Already ${order.status}; nothing changed.${dropped}`);
  }
  const formatLines = () => {
    const width = getTerminalWidth(context.stdout);
    const lines = wrap(`${id} ${outcome.from} → ${order.status}`, width, { hanging: 2 });
    return `${lines.join('\n')}\n`;
  };
  const text = () => (isForPeople ? formatLines() : format.formatItem(order));
  await printChange(
    context,
    `order ${id} is ${order.status}`,
    text,
    commandHint('To see it, run', 'orders get', id),
  );
}

/** Moves an order from the status that was read and perhaps confirmed, and from no other. */
async function changeAsRead(
  orders: OrdersClient,
  id: string,
  change: StatusChange,
  options: Options,
  context: CliContext,
): Promise<OrderChangeResult> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await changeOrder(orders, id, {
      ...change,
      dryRun: false,
      inDoubt: false,
      beforeUpdate: (order) => confirmFinal(order, change.status, options, context),
      onUnguarded: () => printNotice(context, unguardedNotice),
      request: { signal: context.signal },
    });
    const isConcurrent = change.ifStatus === null && isPreconditionFailed(result.error);
    if (!isConcurrent || attempt >= maxAttempts) return result;
  }
}

/** Asks a person before a change that cannot be undone, unless the service would reject it. */
async function confirmFinal(
  order: Order,
  status: OrderStatus,
  { yes }: Options,
  context: CliContext,
): Promise<void> {
  if (context.stderr.isTTY !== true || !isFinal(status)) return;
  if (getTransitions(order.status)?.includes(status) === false) return;
  const verb = status === 'cancelled' ? 'Cancel' : 'Complete';
  await confirm(`${verb} ${order.id} (${order.status})? This is final.`, context, {
    ...(yes && { yes }),
  });
}
