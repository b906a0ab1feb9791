import type { EventType, WebhookUpdateParams } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { CliError, commandHint } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import { addId, eventsOption, type GlobalOptions } from '../../input/options';
import { chooseFormat, describeShape } from '../../output/format';
import { printChange } from '../../output/print';
import {
  addSettingsOptions,
  readSettings,
  type SettingsOptions,
  settingsNotes,
} from './endpoint-settings';
import { urlOption } from './webhook-options';
import { webhookView } from './webhook-view';

interface Options extends GlobalOptions, SettingsOptions {
  url?: string;
  events?: EventType[];
}

export function configure(command: Command, context: CliContext): void {
  addSettingsOptions(
    addId(command, 'whk')
      .option(...urlOption)
      .option(...eventsOption('new event types')),
  ).action(async (id: string) => {
    const options = command.optsWithGlobals<Options>();
    const change: WebhookUpdateParams = await readSettings(options, context);
    if (options.url !== undefined) change.url = options.url;
    if (options.events !== undefined) change.events = options.events;
    if (Object.keys(change).length === 0) {
      throw new CliError(
        'usage',
        'Nothing to change',
        'Pass what is to be changed, such as --url.',
      );
    }
    await updateWebhook(id, change, 'changed', options, context);
  });
  addHelp(command, {
    fields: webhookView.fields,
    Examples: [
      '$ tradepost webhooks update whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --url https://receiver.example/new',
      '$ tradepost webhooks update whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --events order.created,task.completed',
    ],
    Output: [`json: the webhook as it is now, ${describeShape(webhookView)}`],
    Notes: [
      'Omitted options stay as they are. A new URL applies to pending deliveries too.',
      '--headers-file replaces all headers; an empty file removes them.',
      ...settingsNotes,
    ],
  });
}

export async function updateWebhook(
  id: string,
  change: WebhookUpdateParams,
  result: 'changed' | 'paused' | 'resumed',
  options: GlobalOptions,
  context: CliContext,
): Promise<void> {
  const format = await chooseFormat(options, webhookView, context);
  const { webhooks } = createClient(context, options);
  const webhook = await webhooks.update(id, change, { signal: context.signal });
  await printChange(
    context,
    `${id} is ${result}`,
    () => format.formatItem(webhook),
    commandHint('To see it, run', 'webhooks get', id),
  );
}
