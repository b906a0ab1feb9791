import { type ListOrders, type OrderStatus, orderStatuses } from '@tradepost/sdk';
import type { Command } from 'commander';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { addLimitOptions, type ListLimitOptions, limitsOf } from '../../list-limit';
import { showList } from '../../output/show-list';
import type { Terminal } from '../../terminal';
import { orderShape, orderView } from './order-view';

interface Options extends GlobalOptions, ListLimitOptions {
  status?: OrderStatus;
}

/** `tradepost orders list`. */
export function define(command: Command, terminal: Terminal): void {
  command.addOption(
    command.createOption('--status <status>', 'only orders in this status').choices(orderStatuses),
  );
  addLimitOptions(command, 'orders')
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost orders list --status pending',
          '$ tradepost orders list --limit 200',
          '$ tradepost orders list --all --output csv > orders.csv',
        ],
        Output: [
          `json: an array of ${orderShape}`,
          'On a narrow terminal a table leaves columns out, from the right.',
        ],
      }),
    )
    .action(() => list(command.optsWithGlobals<Options>(), terminal));
}

async function list(options: Options, terminal: Terminal): Promise<void> {
  const { limit, pageSize } = limitsOf(options);
  const query: ListOrders = { limit: pageSize };
  if (options.status !== undefined) query.status = options.status;
  const { orders } = connect(terminal, options);
  const pages = orders.list(query, { signal: terminal.signal }).pages();
  await showList({ pages, limit, noun: 'orders' }, orderView, terminal, options);
}
