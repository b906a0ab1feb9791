import type { Command } from 'commander';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { idArgument } from '../../input/id-argument';
import { showOne } from '../../output/show-one';
import type { Terminal } from '../../terminal';
import { orderShape, orderView } from './order-view';

/** `tradepost orders get <id>`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idArgument(command, 'ord'))
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost orders get ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
          '$ tradepost orders get ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH --output json | jq -r .status',
        ],
        Output: [`json: ${orderShape}`],
      }),
    )
    .action((id: string) => get(id, command.optsWithGlobals<GlobalOptions>(), terminal));
}

async function get(id: string, options: GlobalOptions, terminal: Terminal): Promise<void> {
  const { orders } = connect(terminal, options);
  const get = () => orders.get(id, { signal: terminal.signal });
  await showOne(get, orderView, terminal, options);
}
