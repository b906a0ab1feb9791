import type { EventType, RegisteredWebhook } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { eventsOption, type GlobalOptions } from '../../input/options';
import { describeShape } from '../../output/format';
import { newSecretFileOption, revealSecret } from '../../output/reveal-secret';
import type { View } from '../../output/view';
import {
  addSettingsOptions,
  readSettings,
  type SettingsOptions,
  settingsNotes,
} from './endpoint-settings';
import { withoutSecret } from './secret';
import { urlOption } from './webhook-options';

interface Options extends GlobalOptions, SettingsOptions {
  url: string;
  events: EventType[];
  secretFile?: string;
}

const createdWebhookView: View<RegisteredWebhook> = {
  fields: [
    ...['id', 'url', 'events', 'status', 'description', 'headerNames', 'attemptsPerMinute'],
    ...['createdAt', 'updatedAt', 'secret'],
  ] as const,
};

export function configure(command: Command, context: CliContext): void {
  addSettingsOptions(command.requiredOption(...urlOption).requiredOption(...eventsOption()))
    .addOption(newSecretFileOption(command))
    .action(async () => {
      const options = command.optsWithGlobals<Options>();
      const { url, events } = options;
      const { webhooks } = createClient(context, options);
      const settings = await readSettings(options, context);
      const secret = {
        // A service may send less: a missing secret is reported, and other fields are left empty.
        request: () =>
          webhooks.create(
            { url, events, ...settings },
            { signal: context.signal },
          ) as Promise<RegisteredWebhook>,
        view: createdWebhookView,
        subject: ({ id, url }: Partial<RegisteredWebhook>) => `${id ?? url} is registered`,
        withoutSecret,
        advice: 'The secret is not shown again. Save it where your receiver reads it.',
      };
      await revealSecret(secret, context, options);
    });
  addHelp(command, {
    fields: createdWebhookView.fields,
    Examples: [
      '$ tradepost webhooks register --url https://receiver.example/tradepost --events order.created,order.status_changed',
      '$ tradepost webhooks register --url https://receiver.example/tradepost --events order.created --secret-file webhook.secret',
    ],
    Output: [`json: ${describeShape(createdWebhookView)}; no secret with --secret-file`],
    Notes: ['The secret is the key of the signatures. It is shown only once.', ...settingsNotes],
  });
}
