import type { Command } from 'commander';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { confirm } from '../../input/confirm';
import { idArgument } from '../../input/id-argument';
import { chooseFormat } from '../../output/choose-format';
import type { View } from '../../output/column';
import { showChange } from '../../output/show-change';
import type { Terminal } from '../../terminal';

interface Options extends GlobalOptions {
  yes?: true;
}

const deletedView: View<{ id: string; deleted: true }> = { fields: ['id', 'deleted'], columns: [] };

/** `tradepost webhooks delete <id> [--yes]`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idArgument(command, 'whk'))
    .option('--yes', 'do not ask')
    .addHelpText('after', () =>
      sections({
        Examples: ['$ tradepost webhooks delete whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --yes'],
        Output: ['json: { id, deleted }'],
        Notes: [
          'Deliveries that wait are not sent any more, and none of its deliveries is listed any more.',
          '`tradepost webhooks pause` keeps them.',
        ],
      }),
    )
    .action((id: string) => remove(id, command.optsWithGlobals<Options>(), terminal));
}

async function remove(id: string, options: Options, terminal: Terminal): Promise<void> {
  const format = await chooseFormat(options, deletedView, terminal.stdout);
  const { webhooks } = connect(terminal, options);
  await confirm(`Delete ${id}, with all its deliveries?`, terminal, options);
  await webhooks.delete(id, { signal: terminal.signal });
  const text = () => format.one({ id, deleted: true });
  await showChange({ what: `${id} is deleted`, look: null, text }, terminal);
}
