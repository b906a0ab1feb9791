import type { Command } from 'commander';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { idArgument } from '../../input/id-argument';
import { showOne } from '../../output/show-one';
import type { Terminal } from '../../terminal';
import { webhookShape, webhookView } from './webhook-view';

/** `tradepost webhooks get <id>`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idArgument(command, 'whk'))
    .addHelpText('after', () =>
      sections({
        Examples: ['$ tradepost webhooks get whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW'],
        Output: [`json: ${webhookShape}`],
      }),
    )
    .action((id: string) => get(id, command.optsWithGlobals<GlobalOptions>(), terminal));
}

async function get(id: string, options: GlobalOptions, terminal: Terminal): Promise<void> {
  const { webhooks } = connect(terminal, options);
  const get = () => webhooks.get(id, { signal: terminal.signal });
  await showOne(get, webhookView, terminal, options);
}
