import type { Command } from 'commander';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { idArgument } from '../../input/id-argument';
import type { Terminal } from '../../terminal';
import { changeWebhook } from './change-webhook';
import { webhookShape } from './webhook-view';

/** `tradepost webhooks pause <id>`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idArgument(command, 'whk'))
    .addHelpText('after', () =>
      sections({
        Examples: ['$ tradepost webhooks pause whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW'],
        Output: [`json: the webhook as it now is, ${webhookShape}`],
        Notes: [
          'Deliveries to a paused webhook wait, new ones too, until their 24 hours are over.',
          '`tradepost webhooks resume` lets them go on.',
        ],
      }),
    )
    .action((id: string) =>
      changeWebhook(id, { status: 'paused' }, command.optsWithGlobals<GlobalOptions>(), terminal),
    );
}
