import type { Tradepost, WebhookDetails } from '@tradepost/sdk';
import { explainWebhook } from '@tradepost/sdk/explain';
import type { CliContext } from '../../context';
import { CliError, type CommandHint, commandHint } from '../../errors/cli-error';
import type { OutputOptions } from '../../input/options';
import { printNotice } from '../../output/print';
import { chooseTimes, formatTimes } from '../../output/times';
import { type ConnectionFlags, formatHints } from '../../report/hint';

/** Says how an endpoint fares: `205 pending, endpoint backs off until 14:05:00, last response 401 for 3 hr`. */
export function describeEndpoint(
  webhook: WebhookDetails,
  options: OutputOptions,
  context: CliContext,
): string {
  const { summary } = explainWebhook(webhook, { now: context.now() });
  const times = chooseTimes(options, context);
  return times === null ? summary : formatTimes(summary, times.alone);
}

/** Whether an endpoint does not get what is sent to it. */
export function isUnhealthy(webhook: WebhookDetails, { now }: Pick<CliContext, 'now'>): boolean {
  return ['backoff', 'failing', 'disabled'].includes(
    explainWebhook(webhook, { now: now() }).verdict,
  );
}

/** Lists the webhooks of the account, as far as the service shows them: it has at most 20. It never rejects. */
export async function listEndpoints(
  { webhooks }: Pick<Tradepost, 'webhooks'>,
  { signal }: Pick<CliContext, 'signal'>,
): Promise<readonly WebhookDetails[]> {
  const found = await webhooks.list({ limit: 100 }, { signal }).safe();
  return found.ok ? found.data.data : [];
}

/** Creates the error of what would send deliveries to a webhook that is paused, or that the service disabled. */
export function createPausedError({ id, disabledAt }: WebhookDetails): CliError {
  const resume = commandHint(
    `${disabledAt ? 'Its endpoint kept failing: fix the receiver first. ' : ''}To resume it, which sends what waits, run`,
    'webhooks resume',
    id,
  );
  const state = disabledAt ? 'disabled' : 'paused';
  return new CliError('webhook_paused', `${id} is ${state}: nothing would be sent`, resume);
}

/** Says which webhooks are paused, disabled or back off, so that deliveries to them stay pending, and what to run. */
export function printWaiting(
  webhooks: readonly WebhookDetails[],
  options: OutputOptions & ConnectionFlags,
  context: CliContext,
): void {
  for (const webhook of webhooks) {
    const args = [webhook.id];
    const { verdict } = explainWebhook(webhook, { now: context.now() });
    if (verdict === 'paused' || verdict === 'disabled') {
      const text = `${webhook.id} is ${verdict}: its deliveries wait. To send them, run`;
      printHint({ text, command: 'webhooks resume', args });
    } else if (verdict === 'backoff') {
      const text = `${webhook.id}: ${describeEndpoint(webhook, options, context)}. See`;
      printHint({ text, command: 'webhooks explain', args });
    }
  }

  function printHint(hint: CommandHint): void {
    printNotice(context, formatHints([hint], options) ?? '');
  }
}
