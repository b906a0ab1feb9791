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
  parseId,
  timeNote,
} from '../../input/options';
import { describeShape } from '../../output/format';
import { printList } from '../../output/print';
import { deliveryView } from './delivery-view';
import { listEndpoints, printWaiting } from './endpoint-view';
import { addDeliveryFilter, type DeliveryFilterOptions, toDeliveryQuery } from './webhook-options';

interface Options extends GlobalOptions, PaginationOptions, DeliveryFilterOptions {
  order?: string;
  eventId?: string;
  state?: DeliveryState;
}

export function configure(command: Command, context: CliContext): void {
  const state = command.createOption('--state <state>', 'only deliveries in this state');
  addDeliveryFilter(command, context)
    .option('--order <id>', 'only deliveries of events about this order, ord_…', (text) =>
      parseId(text, 'ord'),
    )
    .option('--event-id <id>', 'only deliveries of this event, evt_…', (text) =>
      parseId(text, 'evt'),
    )
    .addOption(state.choices(deliveryStates));
  addPaginationOptions(command, 'deliveries').action(async () => {
    const options = command.optsWithGlobals<Options>();
    const client = createClient(context, options);
    const query = toDeliveryQuery(options, getPageSize(options));
    const pages = client.deliveries.list(query, { signal: context.signal }).pages();
    const nouns = ['delivery', 'deliveries'] as const;
    const shown = await printList(pages, nouns, deliveryView, context, options);
    if (shown > 0) return;
    // An unknown webhook has no deliveries either.
    const { webhook } = options;
    if (webhook !== undefined) await client.webhooks.get(webhook, { signal: context.signal });
    if (options.state !== 'failed') return;
    const waiting = (await listEndpoints(client, context)).filter(
      ({ id, pendingDeliveries }) => (webhook ?? id) === id && pendingDeliveries > 0,
    );
    printWaiting(waiting, options, context);
  });
  addHelp(command, {
    fields: deliveryView.fields,
    Examples: [
      '$ tradepost webhooks deliveries --state failed --since 6h',
      '$ tradepost webhooks deliveries --order ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
      '$ tradepost webhooks deliveries --webhook whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --status-class 5xx --all --output csv',
    ],
    Output: [
      `json: an array of ${describeShape(deliveryView)}`,
      'table: the column LAST has the last status, or the error if there was no response',
    ],
    Notes: [
      '`tradepost webhooks explain` explains a failure.',
      'Only deliveries to the webhooks of this account are listed.',
      timeNote,
    ],
  });
}
