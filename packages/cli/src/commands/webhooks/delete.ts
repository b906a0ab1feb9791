import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions } from '../../input/options';
import { confirm } from '../../input/prompt';
import { chooseFormat } from '../../output/choose-format';
import type { View } from '../../output/format';
import { printChange } from '../../output/print';

interface Options extends GlobalOptions {
  yes?: true;
}

const deletedView: View<{ id: string; deleted: true }> = { fields: ['id', 'deleted'] };

/** `tradepost webhooks delete <id> [--yes]` */
export function configure(command: Command, context: CliContext): void {
  addId(command, 'whk')
    .option('--yes', 'do not ask for confirmation')
    .action((id: string) => deleteWebhook(id, command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    Examples: ['$ tradepost webhooks delete whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --yes'],
    Output: ['json: { id, deleted }'],
    Notes: [
      'Pending deliveries are not sent, and its deliveries are no longer listed.',
      '`tradepost webhooks pause` keeps them.',
    ],
  });
}

async function deleteWebhook(id: string, options: Options, context: CliContext): Promise<void> {
  const format = await chooseFormat(options, deletedView, context.stdout);
  const { webhooks } = createClient(context, options);
  await confirm(`Delete ${id} with all its deliveries?`, context, options);
  await webhooks.delete(id, { signal: context.signal });
  const text = () => format.formatItem({ id, deleted: true });
  await printChange(context, `${id} is deleted`, text);
}
