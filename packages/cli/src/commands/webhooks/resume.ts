import type { Command } from 'commander';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { idArgument } from '../../input/id-argument';
import type { Terminal } from '../../terminal';
import { changeWebhook } from './change-webhook';
import { webhookShape } from './webhook-view';

/** `tradepost webhooks resume <id>`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idArgument(command, 'whk'))
    .addHelpText('after', () =>
      sections({
        Examples: ['$ tradepost webhooks resume whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW'],
        Output: [`json: the webhook as it now is, ${webhookShape}`],
        Notes: ['Deliveries that waited are sent now, those whose 24 hours are over excepted.'],
      }),
    )
    .action((id: string) =>
      changeWebhook(id, { status: 'active' }, command.optsWithGlobals<GlobalOptions>(), terminal),
    );
}
