import type { EventKind, UpdateWebhook } from '@tradepost/sdk';
import type { Command } from 'commander';
import { CliError } from '../../cli-error';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { idArgument } from '../../input/id-argument';
import type { Terminal } from '../../terminal';
import { eventsOption, urlOption } from '../../webhooks/webhook-options';
import { changeWebhook } from './change-webhook';
import { webhookShape } from './webhook-view';

interface Options extends GlobalOptions {
  url?: string;
  events?: EventKind[];
}

/** `tradepost webhooks update <id> [--url <url>] [--events <kinds>]`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idArgument(command, 'whk'))
    .addOption(urlOption(command))
    .addOption(eventsOption(command, 'event kinds, instead of those it has'))
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost webhooks update whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --url https://receiver.example/new',
          '$ tradepost webhooks update whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --events order.created,task.completed',
        ],
        Output: [`json: the webhook as it now is, ${webhookShape}`],
        Notes: ['What is left out stays as it is. A new URL holds for deliveries that wait, too.'],
      }),
    )
    .action((id: string) => update(id, command.optsWithGlobals<Options>(), terminal));
}

async function update(id: string, options: Options, terminal: Terminal): Promise<void> {
  const { url, events } = options;
  const change: UpdateWebhook = {};
  if (url !== undefined) change.url = url;
  if (events !== undefined) change.events = events;
  if (Object.keys(change).length === 0) {
    throw new CliError('usage', 'there is nothing to change', 'Pass --url, --events or both.');
  }
  await changeWebhook(id, change, options, terminal);
}
