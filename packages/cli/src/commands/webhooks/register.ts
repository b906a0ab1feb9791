import type { CreatedWebhook, EventKind } from '@tradepost/sdk';
import type { Command } from 'commander';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import type { View } from '../../output/column';
import type { Terminal } from '../../terminal';
import { newSecretFileOption } from '../../webhooks/new-secret-file';
import { tellSecret } from '../../webhooks/tell-secret';
import { eventsOption, urlOption } from '../../webhooks/webhook-options';

interface Options extends GlobalOptions {
  url: string;
  events: EventKind[];
  secretFile?: string;
}

const createdWebhookView: View<CreatedWebhook> = {
  fields: ['id', 'url', 'events', 'status', 'createdAt', 'updatedAt', 'secret'],
  columns: [],
};

/** `tradepost webhooks register --url <url> --events <kinds>`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addOption(urlOption(command).makeOptionMandatory())
    .addOption(eventsOption(command).makeOptionMandatory())
    .addOption(newSecretFileOption(command))
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost webhooks register --url https://receiver.example/tradepost --events order.created,order.status_changed',
          '$ tradepost webhooks register --url https://receiver.example/tradepost --events order.created --secret-file webhook.secret',
        ],
        Output: [
          `json: { ${createdWebhookView.fields.join(', ')} }`,
          'With --secret-file the secret is not in it.',
        ],
        Notes: ['The secret keys the signature of each delivery. It is shown this once.'],
      }),
    )
    .action(() => register(command.optsWithGlobals<Options>(), terminal));
}

async function register(options: Options, terminal: Terminal): Promise<void> {
  const { url, events } = options;
  const { webhooks } = connect(terminal, options);
  await tellSecret(
    {
      ask: () => webhooks.create({ url, events }, { signal: terminal.signal }),
      view: createdWebhookView,
      what: ({ id }) => `${id} is registered`,
      advice: 'The secret is not shown again: keep it where your receiver reads it.',
    },
    terminal,
    options,
  );
}
