import { type OrderStatus, orderStatuses } from '@tradepost/sdk';
import type { Command } from 'commander';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { showOne } from '../../output/show-one';
import type { Terminal } from '../../terminal';
import { idArgument } from '../id-argument';
import { orderShape, orderView } from './order-view';

/** `tradepost orders set-status <id> <status>`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idArgument(command, 'ord'))
    .addArgument(
      command.createArgument('<status>', 'the status to move it to').choices(orderStatuses),
    )
    .addHelpText('after', () =>
      sections({
        Examples: ['$ tradepost orders set-status ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH confirmed'],
        Output: [`json: the order as it now is, ${orderShape}`],
        Notes: [
          'It takes the key of a seller or agent account.',
          'The status that the order already has is accepted and changes nothing.',
        ],
      }),
    )
    .action((id: string, status: OrderStatus) =>
      setStatus(id, status, command.optsWithGlobals<GlobalOptions>(), terminal),
    );
}

async function setStatus(
  id: string,
  status: OrderStatus,
  options: GlobalOptions,
  terminal: Terminal,
): Promise<void> {
  const { orders } = connect(terminal, options);
  const order = await orders.update(id, { status }, { signal: terminal.signal });
  await showOne(order, orderView, terminal, options);
}
