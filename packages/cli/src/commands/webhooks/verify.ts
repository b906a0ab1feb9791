import type { WebhookEvent } from '@tradepost/sdk/webhooks';
import type { Command } from 'commander';
import { CliError } from '../../cli-error';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { InvalidArgument } from '../../input/invalid-argument';
import { countParser } from '../../input/parse-count';
import { chooseFormat } from '../../output/choose-format';
import type { View } from '../../output/column';
import { writeData } from '../../output/write';
import type { Terminal } from '../../terminal';
import { readBody } from '../../webhooks/read-body';
import { readSecretFile } from '../../webhooks/read-secret-file';
import type { EventRow } from '../events/event-view';

interface Options extends GlobalOptions {
  secretFile: string;
  signature?: string;
  header?: Record<string, string>;
  bodyFile?: string;
  tolerance?: number;
}

const verifiedView: View<Omit<EventRow, 'id'>> = {
  fields: ['event', 'createdAt', 'data'],
  columns: [],
};

/** `tradepost webhooks verify --secret-file <file> < body`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addOption(
      command
        .createOption('--secret-file <file>', 'the file that has the secret of the webhook')
        .makeOptionMandatory(),
    )
    .option('--signature <hex>', 'the value of the header Service-Signature')
    .addOption(
      command
        .createOption(
          '--header <line>',
          "a header as it arrived, 'name: value'; any number of them",
        )
        .argParser(addHeader),
    )
    .option('--body-file <file>', 'the raw body as it arrived; stdin unless told')
    .option(
      '--tolerance <seconds>',
      'how far webhook-timestamp may be from now: 300 unless told',
      countParser(1, 999_999_999),
    )
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost webhooks verify --secret-file webhook.secret --signature 2f0c…e1 < body.json',
          "$ tradepost webhooks verify --secret-file webhook.secret --header 'Service-Signature: 2f0c…e1' --header 'webhook-id: evt_01KAJ8Q0V7T3M5X9R2C4D6F8GV' --header 'webhook-timestamp: 1795253400' --header 'webhook-signature: v1,m7…=' --body-file body.json",
        ],
        Output: [`json: the event, { ${verifiedView.fields.join(', ')} }`],
        Notes: [
          'It asks no service and needs no key. Exit code 1: the delivery must not be trusted, and it says why.',
          'With the three webhook-… headers both signatures and the time are checked.',
        ],
      }),
    )
    .action(() => verify(command.optsWithGlobals<Options>(), terminal));
}

/** Adds a header to those before it. One that comes twice is joined as HTTP does. */
function addHeader(line: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value = ''] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*(.*?)[ \t\r\n]*$/s.exec(line) ?? [];
  if (name === undefined) throw new InvalidArgument("It must be 'name: value'.");
  const key = name.toLowerCase();
  const known = Object.hasOwn(before, key) ? before[key] : undefined;
  return { ...before, [key]: known === undefined ? value : `${known}, ${value}` };
}

async function verify(options: Options, terminal: Terminal): Promise<void> {
  const { signature, header: headers = {}, tolerance, secretFile, bodyFile } = options;
  if (signature === undefined && headers['service-signature'] === undefined) {
    throw new CliError(
      'usage',
      'there is no signature to check',
      "Pass --signature, or --header 'Service-Signature: …'.",
    );
  }
  const format = await chooseFormat(options, verifiedView, terminal.stdout);
  const secret = readSecretFile(secretFile);
  const payload = await readBody(bodyFile, terminal);
  const { verifyWebhookSync, WebhookVerificationError } = await import('@tradepost/sdk/webhooks');
  let event: WebhookEvent;
  try {
    const now = terminal.now();
    const given = { payload, secret, headers, signature, tolerance, now, diagnose: true };
    event = verifyWebhookSync(given);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    throw new CliError(
      'verification_failed',
      `the delivery must not be trusted: ${error.code}. ${error.message}`,
    );
  }
  await writeData(terminal.stdout, format.one(event));
}
