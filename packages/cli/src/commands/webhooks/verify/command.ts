import type { VerifiedDelivery } from '@tradepost/sdk/webhooks';
import type { Command } from 'commander';
import type { CliContext } from '../../../context';
import { attempt, CliError } from '../../../errors/cli-error';
import { addHelp } from '../../../help/help';
import { type GlobalOptions, parseCount, repeatable } from '../../../input/options';
import { readInput } from '../../../input/read-input';
import { chooseFormat, describeShape } from '../../../output/format';
import { printNotice, writeData } from '../../../output/print';
import { formatNumber } from '../../../output/text';
import type { View } from '../../../output/view';
import type { EventRow } from '../../events/event-view';
import { readSecretFile, readStart } from '../secret';
import { addHeader, type Headers, readSignature } from './signature-headers';

interface Options extends GlobalOptions {
  secretFile: string[];
  signature?: string;
  header?: Headers;
  bodyFile?: string;
  tolerance?: number;
}

const verifiedView: View<Omit<EventRow, 'id'>> = {
  fields: ['event', 'createdAt', 'data'],
};

const defaultTolerance = 300;

/** The default limit of the SDK, in bytes. Deliveries of the service are smaller. */
const maxBodyLength = 1_048_576;

export function configure(command: Command, context: CliContext): void {
  const addFile = repeatable((file: string, before: string[] = []) => [...before, file]);
  command
    .requiredOption(
      '--secret-file <file>',
      'file with a secret of the webhook; repeatable',
      addFile,
    )
    .option('--signature <hex>', 'value of the header Service-Signature')
    .option(
      '--header <line>',
      "a received header, 'name: value'; repeatable",
      repeatable(addHeader),
    )
    .option('--body-file <file>', 'raw body as received (default: stdin)')
    .option(
      '--tolerance <seconds>',
      `maximum age of webhook-timestamp (default: ${defaultTolerance})`,
      parseCount,
    )
    .action(() => verify(command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: verifiedView.fields,
    Examples: [
      '$ tradepost webhooks verify --secret-file webhook.secret --signature 2f0c…e1 < body.json',
      "$ tradepost webhooks verify --secret-file webhook.secret --header 'Service-Signature: 2f0c…e1' --header 'webhook-id: evt_01KAJ8Q0V7T3M5X9R2C4D6F8GV' --header 'webhook-timestamp: 1795253400' --header 'webhook-signature: v1,m7…=' --body-file body.json",
    ],
    Output: [
      `json: the event, ${describeShape(verifiedView)}`,
      'stderr: which secret matched, when the delivery was signed, and what was not checked',
    ],
    Notes: [
      'It sends no request and needs no key.',
      'Exit code 0: the delivery is valid. Exit code 1: do not trust it. Exit code 2: an input is missing, incomplete or in an unknown format, and nothing was verified.',
      'With the three webhook-… headers both signatures and the time are checked.',
      'While a new secret is staged, pass the files of both secrets. With --body-file, stdin is not read.',
    ],
  });
}

async function verify(options: Options, context: CliContext): Promise<void> {
  const { secretFile: secretFiles, tolerance = defaultTolerance } = options;
  const headers = readSignature(options);
  const format = await chooseFormat(options, verifiedView, context);
  const secrets = secretFiles.map(readSecretFile);
  const payload = await readBody(options, context);
  const { verifyDeliverySync, WebhookVerificationError } = await import('@tradepost/sdk/webhooks');
  const { describeChecks, describeFailure, describeInput } = await import('./describe-checks');
  const now = context.now();
  const bodyName = options.bodyFile ?? 'stdin';
  const bodyLength = payload.length;
  const input = { bodyName, bodyLength, secretFiles, tolerance, now };
  const verifyBody = (body: Buffer, diagnose: boolean) =>
    verifyDeliverySync({ payload: body, secrets, headers, tolerance, now, diagnose });
  let delivery: VerifiedDelivery;
  try {
    delivery = verifyBody(payload, true);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    if (/^(MISSING|MALFORMED)_(HEADER|SIGNATURE|TIMESTAMP)$/.test(error.code)) {
      throw new CliError('usage', error.message, 'Pass the headers as received.');
    }
    const { message, hints } = describeFailure(error, bodyName, payload, (body) =>
      verifyBody(body, false),
    );
    throw new CliError(
      'verification_failed',
      message,
      ...hints,
      `Checked ${describeInput(input)}.`,
    );
  }
  await writeData(context.stdout, format.formatItem(delivery.event));
  for (const line of describeChecks(delivery, input)) printNotice(context, line);
}

/** @throws {CliError} `input_unreadable` if there is no body, or it is too long for a delivery */
async function readBody({ bodyFile }: Options, context: CliContext): Promise<Buffer> {
  const body =
    bodyFile === undefined
      ? await readInput(context, 'bodies')
      : attempt(
          () => readStart(bodyFile, maxBodyLength + 1),
          'input_unreadable',
          'Cannot read the body',
          'Name a file with the raw body as received.',
        );
  const name = bodyFile ?? 'Stdin';
  if (body.length === 0) {
    throw new CliError(
      'input_unreadable',
      `${name} is empty: there is no body to verify`,
      'Pass the raw body as received, on stdin or with --body-file.',
    );
  }
  if (body.length > maxBodyLength) {
    throw new CliError(
      'input_unreadable',
      `${name} has more than ${formatNumber(maxBodyLength)} bytes: it is not the body of one delivery`,
      'Pass the raw body as received.',
    );
  }
  return body;
}
