import { isTradepostError, type Tradepost, type WebhookDetails } from '@tradepost/sdk';
import type { Command } from 'commander';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { idArgument } from '../../input/id-argument';
import { chooseFormat } from '../../output/choose-format';
import type { View } from '../../output/column';
import { styleOf } from '../../output/style';
import { writeData } from '../../output/write';
import { asSameLogin } from '../../same-login';
import type { Terminal } from '../../terminal';
import { curlLine, type OutgoingRequest } from '../../webhooks/curl-line';
import { explainDelivery } from '../../webhooks/explain-delivery';
import { type Explanation, explanationText } from '../../webhooks/explanation';
import { readSecretFile } from '../../webhooks/read-secret-file';
import { freshRequest, isSignedWith, lastRequest } from '../../webhooks/signed-request';
import { deliveryShape } from './delivery-view';

interface Options extends GlobalOptions {
  secretFile?: string;
}

const explanationView: View<Explanation> = {
  fields: ['verdict', 'reason', 'advice', 'curl'],
  columns: [],
};

/** `tradepost webhooks explain <delivery>`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idArgument(command, 'dlv'))
    .option('--secret-file <file>', 'sign it anew with this secret, as of now')
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost webhooks explain dlv_01KAJ8Q0V7T3M5X9R2C4D6F8GD',
          '$ tradepost webhooks explain dlv_01KAJ8Q0V7T3M5X9R2C4D6F8GD --secret-file webhook.secret --jq .curl | sh',
        ],
        Output: [
          'json: { delivery, verdict, reason, advice, attempts, signed: { body, bytes, headers }, curl }',
          `delivery: ${deliveryShape}`,
          'verdict: delivered, failed, waiting, retrying, held, paused, in_progress or unknown',
        ],
        Notes: [
          'curl sends what the last attempt sent, to the byte. A receiver that looks at the time refuses it later: with --secret-file it is signed anew. The secret itself is never shown.',
        ],
      }),
    )
    .action((id: string) => explain(id, command.optsWithGlobals<Options>(), terminal));
}

async function explain(id: string, options: Options, terminal: Terminal): Promise<void> {
  const isText = options.output === 'table' && options.fields === undefined;
  const format = await chooseFormat(options, explanationView, terminal.stdout);
  const secret = options.secretFile === undefined ? null : readSecretFile(options.secretFile);
  const client = connect(terminal, options);
  const details = await client.deliveries.get(id, { signal: terminal.signal });
  const webhook = await findWebhook(client, details.webhookId, terminal);

  const now = terminal.now();
  const { verdict, reason, advice } = explainDelivery(details, webhook, now);
  let request: OutgoingRequest | null = lastRequest(details);
  if (secret !== null) {
    const url = webhook?.url;
    if (request !== null || url !== undefined) {
      request = await freshRequest(details, { url: url ?? '', secret, now });
    }
    if ((await isSignedWith(details, secret)) === false) {
      advice.unshift(
        `The last attempt was not signed with the secret in ${options.secretFile}: it is another webhook's, or not the current one.`,
      );
    }
  }
  const { body, attemptLog, ...delivery } = details;
  const explanation: Explanation = {
    delivery,
    verdict,
    reason,
    advice: advice.map((sentence) => asSameLogin(sentence, options)),
    attempts: attemptLog,
    signed: { body, bytes: Buffer.byteLength(body), headers: request?.headers ?? null },
    curl: request === null ? null : curlLine(request),
  };
  await writeData(
    terminal.stdout,
    isText ? explanationText(explanation, styleOf(terminal.stdout)) : format.one(explanation),
  );
}

/** The webhook of a delivery; null where the service does not tell. */
async function findWebhook(
  { webhooks }: Tradepost,
  id: string,
  { signal }: Terminal,
): Promise<WebhookDetails | null> {
  try {
    return await webhooks.get(id, { signal });
  } catch (error) {
    if (isTradepostError(error) && error.status === 404) return null;
    throw error;
  }
}
