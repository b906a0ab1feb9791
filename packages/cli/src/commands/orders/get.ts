import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions } from '../../input/options';
import { describeShape } from '../../output/format';
import { printItem } from '../../output/print';
import { orderView } from './order-view';

/** `tradepost orders get <id>` */
export function configure(command: Command, context: CliContext): void {
  addId(command, 'ord').action(async (id: string) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    const load = () => createClient(context, options).orders.get(id, { signal: context.signal });
    await printItem(load, orderView, context, options);
  });
  addHelp(command, {
    fields: orderView.fields,
    Examples: [
      '$ tradepost orders get ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
      '$ tradepost orders get ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH --output json | jq -r .status',
    ],
    Output: [`json: ${describeShape(orderView)}`],
  });
}
