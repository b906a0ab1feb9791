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
import { changeOrder, createUnguardedNotice } from './change-order';

interface Options extends GlobalOptions {
  yes?: true;
  failOnSkip?: true;
}

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
  const { outcome, order, error } = await changeOrder(
    orders,
    id,
    change,
    {
      signal: context.signal,
      beforeUpdate: (found) => confirmFinal(found, change.status, options, context),
    },
    createUnguardedNotice(context),
  );
  const isSkipped = outcome.outcome === 'skipped' && !options.failOnSkip;
  if (order === null || (error !== null && !isSkipped)) throw error;
  if (outcome.outcome === 'updated') {
    const formatLines = () => {
      const width = getTerminalWidth(context.stdout);
      const lines = wrap(`${id} ${outcome.from} → ${order.status}`, width, { hanging: 2 });
      return `${lines.join('\n')}\n`;
    };
    return await printChange(
      context,
      `order ${id} is ${order.status}`,
      () => (isForPeople ? formatLines() : format.formatItem(order)),
      commandHint('To see it, run', 'orders get', id),
    );
  }
  if (!isForPeople) await writeData(context.stdout, format.formatItem(order));
  const dropped = change.reason === undefined ? '' : ' The reason was not stored.';
  printNotice(
    context,
    isSkipped
      ? `${outcome.message}. Nothing changed.`
      : `Already ${order.status}; nothing changed.${dropped}`,
  );
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
