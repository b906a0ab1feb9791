import type { Command } from 'commander';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions } from '../../input/options';
import { describeShape } from '../../output/format';
import { updateWebhook } from './update';
import { webhookView } from './webhook-view';

export function configure(command: Command, context: CliContext): void {
  addId(command, 'whk').action(async (id: string) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    await updateWebhook(id, { status: 'paused' }, 'paused', options, context);
  });
  addHelp(command, {
    fields: webhookView.fields,
    Examples: ['$ tradepost webhooks pause whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW'],
    Output: [`json: the webhook as it is now, ${describeShape(webhookView)}`],
    Notes: [
      'Deliveries wait, including new ones, until 24 hours after they were queued.',
      '`tradepost webhooks resume` sends them.',
    ],
  });
}
