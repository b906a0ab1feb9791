import { readFileSync } from 'node:fs';
import type { WebhookEvent } from '@tradepost/sdk/webhooks';
import type { Command } from 'commander';
import type { CliContext } from '../../context';
import { attempt, CliError, InvalidArgument } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import { type GlobalOptions, parseCount } from '../../input/options';
import { readInput } from '../../input/read-input';
import { chooseFormat } from '../../output/choose-format';
import { describeShape, type View } from '../../output/format';
import { writeData } from '../../output/print';
import type { EventRow } from '../events/event-view';
import { readSecretFile } from './secret';

interface Options extends GlobalOptions {
  secretFile: string;
  signature?: string;
  header?: Record<string, string>;
  bodyFile?: string;
  tolerance?: number;
}

const verifiedView: View<Omit<EventRow, 'id'>> = {
  fields: ['event', 'createdAt', 'data'],
};

/** `tradepost webhooks verify --secret-file <file> < body` */
export function configure(command: Command, context: CliContext): void {
  command
    .requiredOption('--secret-file <file>', 'file with the secret of the webhook')
    .option('--signature <hex>', 'value of the header Service-Signature')
    .option('--header <line>', "a received header, 'name: value'; repeatable", addHeader)
    .option('--body-file <file>', 'raw body as received (default: stdin)')
    .option('--tolerance <seconds>', 'maximum age of webhook-timestamp (default: 300)', parseCount)
    .action(() => verify(command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    Examples: [
      '$ tradepost webhooks verify --secret-file webhook.secret --signature 2f0c…e1 < body.json',
      "$ tradepost webhooks verify --secret-file webhook.secret --header 'Service-Signature: 2f0c…e1' --header 'webhook-id: evt_01KAJ8Q0V7T3M5X9R2C4D6F8GV' --header 'webhook-timestamp: 1795253400' --header 'webhook-signature: v1,m7…=' --body-file body.json",
    ],
    Output: [`json: the event, ${describeShape(verifiedView)}`],
    Notes: [
      'It sends no request and needs no key. Exit code 1: do not trust the delivery.',
      'With the three webhook-… headers both signatures and the time are checked.',
    ],
  });
}

/** Adds a header. Repeated headers are joined as in HTTP. */
function addHeader(line: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value = ''] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*(.*?)[ \t\r\n]*$/s.exec(line) ?? [];
  if (name === undefined) throw new InvalidArgument("Use 'name: value'.");
  const key = name.toLowerCase();
  const known = Object.hasOwn(before, key) ? before[key] : undefined;
  return { ...before, [key]: known === undefined ? value : `${known}, ${value}` };
}

async function verify(options: Options, context: CliContext): Promise<void> {
  const { signature, header: headers = {}, tolerance, secretFile, bodyFile } = options;
  if (signature === undefined && headers['service-signature'] === undefined) {
    throw new CliError(
      'usage',
      'Missing signature',
      "Pass --signature, or --header 'Service-Signature: …'.",
    );
  }
  const format = await chooseFormat(options, verifiedView, context.stdout);
  const secret = readSecretFile(secretFile);
  const payload =
    bodyFile === undefined
      ? await readInput(context, 'bodies')
      : attempt(
          () => readFileSync(bodyFile),
          'input_unreadable',
          'Cannot read the body',
          'Name a file with the raw body as received.',
        );
  const { verifyWebhookSync, WebhookVerificationError } = await import('@tradepost/sdk/webhooks');
  let event: WebhookEvent;
  try {
    const now = context.now();
    const given = { payload, secret, headers, signature, tolerance, now, diagnose: true };
    event = verifyWebhookSync(given);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    throw new CliError(
      'verification_failed',
      `Do not trust this delivery: ${error.code}. ${error.message}`,
    );
  }
  await writeData(context.stdout, format.formatItem(event));
}
