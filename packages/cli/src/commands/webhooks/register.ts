import { type CreatedWebhook, type EventKind, eventKinds } from '@tradepost/sdk';
import type { Command } from 'commander';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { listParser } from '../../input/parse-list';
import type { View } from '../../output/column';
import { note } from '../../output/note';
import { showOne } from '../../output/show-one';
import type { Terminal } from '../../terminal';
import { InvalidArgument } from '../invalid-argument';

interface Options extends GlobalOptions {
  url: string;
  events: EventKind[];
}

const createdWebhookView: View<CreatedWebhook> = {
  fields: ['id', 'url', 'events', 'status', 'createdAt', 'updatedAt', 'secret'],
  columns: [],
};

/** `tradepost webhooks register --url <url> --events <kinds>`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addOption(
      command
        .createOption('--url <url>', 'the https:// endpoint that receives the deliveries')
        .argParser(parseUrl)
        .makeOptionMandatory(),
    )
    .addOption(
      command
        .createOption(
          '--events <kinds>',
          `event kinds, separated by commas: ${eventKinds.join(', ')}`,
        )
        .argParser(listParser(eventKinds, 'event kind'))
        .makeOptionMandatory(),
    )
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost webhooks register --url https://receiver.example/tradepost --events order.created,order.status_changed',
        ],
        Output: [`json: { ${createdWebhookView.fields.join(', ')} }`],
        Notes: ['The secret keys the signature of each delivery. It is shown this once.'],
      }),
    )
    .action(() => register(command.optsWithGlobals<Options>(), terminal));
}

function parseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgument('It must be an absolute https:// URL.');
  }
  return text;
}

async function register(options: Options, terminal: Terminal): Promise<void> {
  const { url, events } = options;
  const { webhooks } = connect(terminal, options);
  const webhook = await webhooks.create({ url, events }, { signal: terminal.signal });
  await showOne(webhook, createdWebhookView, terminal, options);
  note(terminal, 'The secret is not shown again: keep it where your receiver reads it.');
}
