import { type DeliveryState, deliveryStates } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import {
  addPaginationOptions,
  type GlobalOptions,
  getPageSize,
  type PaginationOptions,
  timeNote,
} from '../../input/options';
import { describeShape } from '../../output/format';
import { printList } from '../../output/print';
import { deliveryView } from './delivery-view';
import { addDeliveryFilter, type DeliveryFilterOptions, toDeliveryQuery } from './webhook-options';

interface Options extends GlobalOptions, PaginationOptions, DeliveryFilterOptions {
  state?: DeliveryState;
}

/** `tradepost webhooks deliveries` */
export function configure(command: Command, context: CliContext): void {
  const state = command.createOption('--state <state>', 'only deliveries in this state');
  addDeliveryFilter(command, context).addOption(state.choices(deliveryStates));
  addPaginationOptions(command, 'deliveries').action(async () => {
    const options = command.optsWithGlobals<Options>();
    const { deliveries } = createClient(context, options);
    const query = toDeliveryQuery(options, getPageSize(options));
    const pages = deliveries.list(query, { signal: context.signal }).pages();
    await printList(pages, ['delivery', 'deliveries'], deliveryView, context, options);
  });
  addHelp(command, {
    fields: deliveryView.fields,
    Examples: [
      '$ tradepost webhooks deliveries --state failed --since 6h',
      '$ tradepost webhooks deliveries --webhook whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --status-class 5xx --all --output csv',
    ],
    Output: [
      `json: an array of ${describeShape(deliveryView)}`,
      'table: the column LAST has the last status, or the error if there was no response',
    ],
    Notes: ['`tradepost webhooks explain` explains a failure.', timeNote],
  });
}
