import { type OrderTotal, orderCount } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { type GlobalOptions, maxPageSize } from '../../input/options';
import { describeShape } from '../../output/format';
import { printItem, writeData } from '../../output/print';
import { formatNumber } from '../../output/text';
import type { View } from '../../output/view';
import {
  addOrderFilter,
  filterNotes,
  listOrders,
  type OrderFilterOptions,
  selectOrders,
} from './list';

type Options = GlobalOptions & OrderFilterOptions;

const totalView: View<OrderTotal> = { fields: ['count', 'atLeast'] };

export function configure(command: Command, context: CliContext): void {
  addOrderFilter(command, context).action(() => count(command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: totalView.fields,
    Examples: [
      '$ tradepost orders count --status pending',
      '$ tradepost orders count --buyer "harbour street" --since monday --jq .count',
    ],
    Output: [
      `json: ${describeShape(totalView)}; atLeast is true if there are more than ${formatNumber(orderCount.max)}`,
    ],
    Notes: [
      ...filterNotes,
      'Where a service does not have the extension orders.count, all orders are read and counted here.',
    ],
  });
}

async function count(options: Options, context: CliContext): Promise<void> {
  if (options.output !== 'table' || options.fields !== undefined) {
    await printItem(() => countOrders(options, context), totalView, context, options);
    return;
  }
  const { count, atLeast } = await countOrders(options, context);
  const text = context.stdout.isTTY === true ? formatNumber(count) : String(count);
  await writeData(context.stdout, `${atLeast ? 'more than ' : ''}${text}\n`);
}

async function countOrders(options: Options, context: CliContext): Promise<OrderTotal> {
  const client = createClient(context, options);
  const selected = await selectOrders(client, options, context);
  const { signal } = context;
  const pages = listOrders(
    client.orders,
    { ...selected, count: orderCount.max, limit: maxPageSize },
    { signal, names: null, sortOption: '--sort' },
  );
  let counted = 0;
  for await (const { data, total } of pages) {
    if (total !== undefined) return total;
    counted += data.length;
  }
  return { count: counted, atLeast: false };
}
