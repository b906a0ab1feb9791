import { type DeliveryState, deliveryStates } from '@tradepost/sdk';
import type { Command } from 'commander';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { addLimitOptions, type ListLimitOptions, limitsOf } from '../../list-limit';
import { showList } from '../../output/show-list';
import type { Terminal } from '../../terminal';
import {
  addDeliveryFilter,
  type DeliveryFilterOptions,
  deliveryQuery,
} from '../../webhooks/delivery-filter';
import { deliveryShape, deliveryView } from './delivery-view';

interface Options extends GlobalOptions, ListLimitOptions, DeliveryFilterOptions {
  state?: DeliveryState;
}

/** `tradepost webhooks deliveries`. */
export function define(command: Command, terminal: Terminal): void {
  addDeliveryFilter(command, terminal).addOption(
    command
      .createOption('--state <state>', 'only deliveries in this state')
      .choices(deliveryStates),
  );
  addLimitOptions(command, 'deliveries')
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost webhooks deliveries --state failed --since 6h',
          '$ tradepost webhooks deliveries --webhook whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --http 5xx --all --output csv',
        ],
        Output: [
          `json: an array of ${deliveryShape}`,
          'LAST is the status of the last answer, or why there was none.',
        ],
        Notes: ['`tradepost webhooks explain` tells why one failed, and what to do.'],
      }),
    )
    .action(() => list(command.optsWithGlobals<Options>(), terminal));
}

async function list(options: Options, terminal: Terminal): Promise<void> {
  const { limit, pageSize } = limitsOf(options);
  const { deliveries } = connect(terminal, options);
  const query = deliveryQuery(options, pageSize);
  const pages = deliveries.list(query, { signal: terminal.signal }).pages();
  await showList({ pages, limit, noun: 'deliveries' }, deliveryView, terminal, options);
}
