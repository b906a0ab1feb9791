import type { Command } from 'commander';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions } from '../../input/options';
import { describeShape } from '../../output/format';
import { updateWebhook } from './update';
import { webhookView } from './webhook-view';

/** `tradepost webhooks resume <id>` */
export function configure(command: Command, context: CliContext): void {
  addId(command, 'whk').action(async (id: string) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    await updateWebhook(id, { status: 'active' }, 'resumed', options, context);
  });
  addHelp(command, {
    fields: webhookView.fields,
    Examples: ['$ tradepost webhooks resume whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW'],
    Output: [`json: the webhook as it is now, ${describeShape(webhookView)}`],
    Notes: ['It sends pending deliveries, except those older than 24 hours.'],
  });
}
