import {
  type DeliveryAttempt,
  type DeliveryDetails,
  isTradepostError,
  type Tradepost,
  type WebhookDetails,
} from '@tradepost/sdk';
import {
  type Action,
  type DeliveryRequest,
  deliveryRequest,
  explainDelivery,
  explainWebhook,
  toCurl,
  wasSignedWith,
} from '@tradepost/sdk/explain';
import type { Command } from 'commander';
import { createClient } from '../../../client/create-client';
import type { CliContext, OutputStream } from '../../../context';
import { CliError } from '../../../errors/cli-error';
import { addHelp } from '../../../help/help';
import { type GlobalOptions, parseId } from '../../../input/options';
import { chooseFormat, describeShape } from '../../../output/format';
import { printNotice, writeData } from '../../../output/print';
import {
  escapeControlChars,
  getStyle,
  getTerminalWidth,
  wrap,
  wrapCommand,
} from '../../../output/text';
import { chooseTimes, formatTimes, type Times } from '../../../output/times';
import type { View } from '../../../output/view';
import { formatCommand, formatHints, quoteWord } from '../../../report/hint';
import { toHint } from '../action-hint';
import { deliveryView } from '../delivery-view';
import { readSecretFile, signWith } from '../secret';
import { assertNewFile, saveBody } from './save-body';

interface Options extends GlobalOptions {
  secretFile?: string;
  bodyFile?: string;
}

type Explanation = ReturnType<typeof toExplanation>;

const explanationView: View<Explanation> = {
  fields: ['verdict', 'reason', 'hints', 'curl'],
};

export function configure(command: Command, context: CliContext): void {
  command
    .argument('<id>', 'delivery ID, dlv_…, or webhook ID, whk_…', (text) =>
      parseId(text, 'dlv', 'whk'),
    )
    .option('--secret-file <file>', 'sign it again with this secret, as of now')
    .option('--body-file <file>', 'write the signed body to this new file, byte for byte')
    .action((id: string) =>
      (id.startsWith('whk_') ? explainEndpoint : explain)(
        id,
        command.optsWithGlobals<Options>(),
        context,
      ),
    );
  addHelp(command, {
    fields: explanationView.fields,
    Examples: [
      '$ tradepost webhooks explain dlv_01KAJ8Q0V7T3M5X9R2C4D6F8GD',
      '$ tradepost webhooks explain whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW',
      '$ tradepost webhooks explain dlv_01KAJ8Q0V7T3M5X9R2C4D6F8GD --secret-file webhook.secret --jq .curl | sh',
      '$ tradepost webhooks explain dlv_01KAJ8Q0V7T3M5X9R2C4D6F8GD --body-file delivered.json',
    ],
    Output: [
      'json, a delivery: { delivery, verdict, reason, hints, attempts, signed: { body, bytes, headers }, curl }',
      `delivery: ${describeShape(deliveryView)}`,
      'verdict: delivered, failed, waiting, retrying, backoff, paused, in_progress or unknown',
      'json, a webhook: { webhook, verdict, reason, hints }',
      'verdict of a webhook: healthy, failing, backoff, disabled, paused; active if nothing was sent yet',
    ],
    Notes: [
      'curl sends exactly what the last attempt sent. A receiver that checks the time rejects it later: --secret-file signs it again. The secret is never shown.',
      '--body-file writes no line end after the body. It prints the SHA-256 of the file, to compare with that of the bytes you received.',
    ],
  });
}

async function explain(id: string, options: Options, context: CliContext): Promise<void> {
  const isText = options.output === 'table' && options.fields === undefined;
  const format = await chooseFormat(options, explanationView, context);
  const secret = options.secretFile === undefined ? null : readSecretFile(options.secretFile);
  if (options.bodyFile !== undefined) assertNewFile(options.bodyFile);
  const client = createClient(context, options);
  const details = await client.deliveries.get(id, { signal: context.signal });
  const webhook = await findWebhook(client, details.webhookId, context);

  const now = context.now();
  const sent = await deliveryRequest(details);
  const resign = (key: string) => deliveryRequest(details, { secret: key, url: webhook?.url, now });
  const request = secret === null ? sent : await signWith(() => resign(secret));
  const signed = secret === null ? null : await wasSignedWith(details, secret);
  const { verdict, reason, actions } = explainDelivery(details, { webhook, signed, now });
  const hints = formatActions(actions, options);
  const explanation = toExplanation(details, { verdict, reason, hints }, request);
  const saved = options.bodyFile === undefined ? null : saveBody(options.bodyFile, details.body);
  const checks = listChecks(details.id, sent ?? request, options);
  const times = chooseTimes(options, context, { hasExactTimes: true });
  await writeData(
    context.stdout,
    isText
      ? formatExplanation(explanation, { checks, times }, context.stdout)
      : format.formatItem(explanation),
  );
  if (saved !== null) printNotice(context, saved);
}

function formatActions(actions: readonly Action[], options: Options): string[] {
  return actions.map((action) => formatHints([toHint(action)], options) ?? '');
}

/** What is explained, and what to do about it. */
interface Verdict {
  verdict: string;
  reason: string;
  hints: readonly string[];
}

const webhookExplanationView: View<Verdict & { webhook: WebhookDetails }> = {
  fields: ['verdict', 'reason', 'hints'],
};

async function explainEndpoint(id: string, options: Options, context: CliContext): Promise<void> {
  if (options.secretFile !== undefined || options.bodyFile !== undefined) {
    throw new CliError('usage', '--secret-file and --body-file need the ID of a delivery');
  }
  const format = await chooseFormat(options, webhookExplanationView, context);
  const webhook = await createClient(context, options).webhooks.get(id, { signal: context.signal });
  const { verdict, reason, actions } = explainWebhook(webhook, { now: context.now() });
  const explained = { verdict, reason, hints: formatActions(actions, options) };
  if (options.output !== 'table' || options.fields !== undefined) {
    return await writeData(context.stdout, format.formatItem({ webhook, ...explained }));
  }
  const times = chooseTimes(options, context, { hasExactTimes: true });
  const head = formatVerdict(`${id}  ${webhook.url}`, explained, times, context.stdout);
  await writeData(context.stdout, head.map((line) => `${line}\n`).join(''));
}

/** Formats what is explained, and what to do about it. */
function formatVerdict(
  subject: string,
  { verdict, reason, hints }: Verdict,
  times: Times | null,
  stdout: OutputStream,
): string[] {
  const style = getStyle(stdout);
  const width = getTerminalWidth(stdout);
  const format = (text: string, hanging = 0) => wrap(escapeControlChars(text), width, { hanging });
  const isGood = ['delivered', 'healthy', 'active'].includes(verdict);
  const verdictStyle = isGood ? 'green' : verdict === 'failed' ? 'red' : 'yellow';
  const status = style(verdictStyle, verdict.replace('_', ' '));
  return [
    ...wrap(`${escapeControlChars(subject)}: ${status}`, width),
    ...format(times === null ? reason : formatTimes(reason, times.alone)),
    ...(hints.length > 0 ? ['', style('bold', 'WHAT TO DO')] : []),
    ...hints.flatMap((hint, index) => format(`${index + 1}. ${hint}`, 3)),
  ];
}

/** Lists the commands that check the signature of a request; none without a signature that can match. */
function listChecks(
  id: string,
  request: DeliveryRequest | null,
  options: Options,
): readonly string[] {
  const headers = Object.entries(request?.headers ?? {});
  const isSignature = ([name]: [string, string]) => name.toLowerCase() === 'service-signature';
  const [, signature = ''] = headers.find(isSignature) ?? [];
  if (!/^[0-9a-f]{64}$/.test(signature)) return [];
  const { bodyFile = 'body.json', secretFile = exampleSecretFile } = options;
  const body = ['--body-file', quoteWord(bodyFile)];
  const secret = ['--secret-file', quoteWord(secretFile)];
  const save = { command: 'webhooks explain', args: [id, ...body] };
  const verify = {
    command: 'webhooks verify',
    args: [...secret, '--signature', signature, ...body],
    local: true,
  } as const;
  return [
    ...(options.bodyFile === undefined ? [formatCommand(save, options)] : []),
    formatCommand(verify),
  ];
}

function toExplanation(
  { body, attempts, ...delivery }: DeliveryDetails,
  { verdict, reason, hints }: Verdict,
  request: DeliveryRequest | null,
) {
  return {
    delivery,
    verdict,
    reason,
    /** What to do, a sentence each. */
    hints,
    /** The attempts, oldest first. */
    attempts,
    /** The signed body, and the headers of the last attempt, or as of now with `--secret-file`. */
    signed: { body, bytes: Buffer.byteLength(body), headers: request?.headers ?? null },
    /** Sends it by hand; null without an attempt and without a secret. */
    curl: request === null ? null : toCurl(request),
  };
}

/** Returns the webhook of a delivery; null if the service does not report it. */
export async function findWebhook(
  { webhooks }: Tradepost,
  id: string,
  { signal }: Pick<CliContext, 'signal'>,
): Promise<WebhookDetails | null> {
  try {
    return await webhooks.get(id, { signal });
  } catch (error) {
    if (isTradepostError(error) && error.status === 404) return null;
    throw error;
  }
}

/** The file of the secret in printed commands. */
const exampleSecretFile = 'webhook.secret';

/** Attempts that are shown; the others are counted. */
const maxAttemptsShown = 5;

/** What the explanation for people shows beside that for programs. */
interface Presentation {
  /** Commands that check the signature. */
  checks: readonly string[];
  times: Times | null;
}

/**
 * Formats an explanation for people. The body is not wrapped: it shows what was signed. The curl line is
 * safe as it is: a shell must be able to run it.
 */
function formatExplanation(
  { delivery, attempts, signed, curl, ...explained }: Explanation,
  { checks, times }: Presentation,
  stdout: OutputStream,
): string {
  const style = getStyle(stdout);
  const width = getTerminalWidth(stdout);
  const { id, event, webhookId } = delivery;
  const format = (text: string, hanging = 0, indent = 0) =>
    wrap(escapeControlChars(text), width, { indent, hanging });
  const title = (text: string) => ['', style('bold', text)];
  const earlier = attempts.length - maxAttemptsShown;
  const lines = [
    ...formatVerdict(`${id}  ${event} to ${webhookId}`, explained, times, stdout),
    ...(attempts.length > 0 ? title('ATTEMPTS') : []),
    ...(earlier > 0 ? [`(${earlier} earlier attempts)`] : []),
    ...attempts
      .slice(-maxAttemptsShown)
      .flatMap(({ responseSnippet, ...attempt }) => [
        ...format(formatAttempt(attempt, times), 3),
        ...(responseSnippet === '' ? [] : format(responseSnippet, 3, 3)),
      ]),
    ...title('SIGNED BYTES'),
    ...format(
      `${signed.bytes} bytes. Service-Signature is their HMAC-SHA256 in hex; its key is the whole secret with whsec_.`,
    ),
    ...format(
      'webhook-signature signs `webhook-id.webhook-timestamp.` and these bytes; its key is the base64-decoded secret without whsec_.',
    ),
    escapeControlChars(signed.body),
    ...Object.entries(signed.headers ?? {}).flatMap(([name, value]) =>
      format(`${name}: ${value}`, 2),
    ),
    ...(checks.length > 0 ? title('CHECK THE SIGNATURE') : []),
    ...(checks.some((line) => line.includes(`--secret-file ${exampleSecretFile} `))
      ? format(`With the secret of the webhook in ${exampleSecretFile}:`)
      : []),
    ...checks.flatMap((line) => wrapCommand(escapeControlChars(line), width)),
    ...title('SEND IT BY HAND'),
    ...(curl === null
      ? format(
          signed.headers === null
            ? 'It was not sent yet: `--secret-file FILE` signs it.'
            : 'No curl command for a shell can send this request. `--body-file FILE` writes its body.',
        )
      : wrapCommand(escapeControlChars(curl), width)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function formatAttempt(
  attempt: Omit<DeliveryAttempt, 'responseSnippet'>,
  times: Times | null,
): string {
  const { number, startedAt, durationMs, url, status, error } = attempt;
  const result = [status, error].filter((part) => part !== null).join(' ');
  const time = times === null ? startedAt : formatTimes(startedAt, times.inRow);
  return `${number}. ${time}  ${result}  ${durationMs} ms  ${url}`;
}
