import {
  type DeliveryDetails,
  type EventType,
  eventTypes,
  type Tradepost,
  type WebhookDetails,
} from '@tradepost/sdk';
import type { Command } from 'commander';
import { noFailure, type OutcomeFailure, toFailure } from '../../bulk/outcome';
import { runBulk } from '../../bulk/run-bulk';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { CliError, commandHint, type Hint } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import { type GlobalOptions, parseDuration, parseId, repeatable } from '../../input/options';
import { chooseFormat } from '../../output/choose-format';
import { describeShape, type View } from '../../output/format';
import { createBestEffortWriter, isReaderGone, printNotice } from '../../output/print';
import type { StyleName } from '../../output/text';
import { formatFailure } from './attempt-failure';
import { waitForDelivery } from './wait-for-delivery';

interface Options extends GlobalOptions {
  webhook?: string[];
  timeout: number;
}

const outcomeKinds = ['delivered', 'failed', 'pending', 'paused', 'not_attempted'] as const;
type TriggerOutcomeKind = (typeof outcomeKinds)[number];

/** The result of one webhook. What is not known is null. */
interface TriggerOutcome extends OutcomeFailure {
  webhookId: string;
  url: string;
  outcome: TriggerOutcomeKind;
  /** The status of the receiver's response. */
  status: number | null;
  /** How long the attempt took. */
  durationMs: number | null;
  deliveryId: string | null;
}

const styles: Readonly<Record<TriggerOutcomeKind, StyleName>> = {
  delivered: 'green',
  failed: 'red',
  pending: 'yellow',
  paused: 'yellow',
  not_attempted: 'yellow',
};

const triggerOutcomeView: View<TriggerOutcome> = {
  fields: [
    'webhookId',
    'url',
    'outcome',
    'status',
    'durationMs',
    'deliveryId',
    'code',
    'message',
    'requestId',
  ],
  columns: [
    { title: 'WEBHOOK', field: 'webhookId' },
    { title: 'OUTCOME', field: 'outcome', style: ({ outcome }) => styles[outcome] },
    { title: 'STATUS', field: 'status', align: 'right' },
    { title: 'MS', field: 'durationMs', align: 'right' },
    { title: 'WHY', field: 'message', text: ({ message }) => message ?? '', whenNarrow: 'wrap' },
    { title: 'URL', field: 'url', whenNarrow: 'leave-out' },
  ],
};

/** Requests in flight that send an event. All deliveries are waited for at the same time. */
const concurrency = 8;

/** `tradepost webhooks trigger <event> [--webhook <id...>]` */
export function configure(command: Command, context: CliContext): void {
  const addWebhook = repeatable((id: string, before: string[] = []) => [
    ...before,
    parseId(id, 'whk'),
  ]);
  command
    .addArgument(
      command.createArgument('<event>', 'event type of the test event').choices(eventTypes),
    )
    .option('--webhook <id...>', 'only these webhooks, whk_…', addWebhook)
    .addOption(
      command
        .createOption('--timeout <duration>', 'how long to wait for each delivery')
        .argParser(parseDuration)
        .default(30_000, '30s'),
    )
    .action((event: EventType) => trigger(event, command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: triggerOutcomeView.fields,
    Examples: [
      '$ tradepost webhooks trigger listing.availability_low',
      '$ tradepost webhooks trigger task.completed --webhook whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --output json',
    ],
    Output: [
      `json: an array of ${describeShape(triggerOutcomeView)}`,
      'outcome: delivered, failed, paused (left out), pending (no result in time), not_attempted',
    ],
    Notes: [
      'It sends to every webhook of the account that subscribes to the event type, and waits. Paused webhooks are left out.',
      'Test events are signed and sent like any other, with the header `Tradepost-Test: true`, and are not retried.',
      "A receiver of the SDK verifies them and responds, but calls its handlers only with `test: 'deliver'`.",
      'Exit code 1: one was not delivered, or there was no webhook to send to.',
    ],
  });
}

async function trigger(event: EventType, options: Options, context: CliContext): Promise<void> {
  const format = await chooseFormat(options, triggerOutcomeView, context);
  const client = createClient(context, options);
  const webhooks = await findSubscribers(event, options.webhook ?? null, client, context);
  const writer = createBestEffortWriter(context.stdout);
  const outcomes: TriggerOutcome[] = [];
  const report = async (outcome: TriggerOutcome) => {
    outcomes.push(outcome);
    await writer.write(() => format.formatItems([outcome]));
  };

  const active = new Map<string, WebhookDetails>();
  for (const webhook of webhooks) {
    if (webhook.status !== 'paused') active.set(webhook.id, webhook);
    else await report({ ...noOutcome(webhook), outcome: 'paused', message: 'It is paused.' });
  }
  async function sendTest(id: string, signal: AbortSignal) {
    try {
      return { queued: await client.webhooks.test(id, { event }, { signal }), error: null };
    } catch (error) {
      return { queued: null, error };
    }
  }

  const deliveries: Promise<void>[] = [];
  const { notAttempted, stoppedBy } = await runBulk(
    {
      ids: [...active.keys()],
      concurrency,
      // The client retries by itself: a person waits for the result.
      reconnectTimeout: 0,
      showProgress: false,
      async work(id, { send }) {
        const base = noOutcome(active.get(id) ?? { id, url: '' });
        const { queued, error } = await send((signal) => sendTest(id, signal));
        if (queued === null) {
          await report({ ...base, ...toFailure(error), outcome: 'failed' });
          return { outcome: 'failed', error };
        }
        const outcome = { ...base, deliveryId: queued.id };
        deliveries.push(waitForOutcome(outcome, client, options, context).then(report));
        return { outcome: 'updated', error: null };
      },
    },
    context,
  );
  await Promise.all(deliveries);
  for (const id of notAttempted) await report(noOutcome(active.get(id) ?? { id, url: '' }));
  await writer.write(() => format.end());
  const failure = isReaderGone(writer.failure()) ? null : writer.failure();
  reportResult(event, outcomes, { stoppedBy, writeFailure: failure }, context);
}

function noOutcome({ id, url }: Pick<WebhookDetails, 'id' | 'url'>): TriggerOutcome {
  return {
    webhookId: id,
    url,
    outcome: 'not_attempted',
    status: null,
    durationMs: null,
    deliveryId: null,
    ...noFailure,
  };
}

/**
 * Finds the webhooks that subscribe to an event type.
 *
 * @param ids null for all webhooks of the account
 * @throws {CliError} `usage` if a named webhook does not subscribe to it
 */
async function findSubscribers(
  event: EventType,
  ids: readonly string[] | null,
  { webhooks }: Tradepost,
  { signal }: CliContext,
): Promise<WebhookDetails[]> {
  const found: WebhookDetails[] = [];
  if (ids === null) {
    for await (const webhook of webhooks.list({ limit: 100 }, { signal })) {
      if (isSubscribed(webhook, event)) found.push(webhook);
    }
    return found;
  }
  for (const id of new Set(ids)) {
    const webhook = await webhooks.get(id, { signal });
    if (!isSubscribed(webhook, event)) {
      throw new CliError(
        'usage',
        `${id} does not subscribe to ${event}`,
        'Nothing was sent.',
        commandHint('To send it anyway, run', 'webhooks test', id, '--event', event, '--wait'),
      );
    }
    found.push(webhook);
  }
  return found;
}

/** Another service may send a webhook without its event types. */
function isSubscribed({ events }: Partial<WebhookDetails>, event: EventType): boolean {
  return events?.includes(event) ?? false;
}

/** Waits for a delivery and returns the outcome. It never rejects. */
async function waitForOutcome(
  base: TriggerOutcome & { deliveryId: string },
  client: Tradepost,
  { timeout }: Options,
  context: CliContext,
): Promise<TriggerOutcome> {
  try {
    const delivery = await waitForDelivery(client, base.deliveryId, timeout, context);
    return describeDelivery(base, delivery, timeout);
  } catch (error) {
    // It was sent, and its result is not known.
    return { ...base, ...toFailure(error), outcome: 'pending' };
  }
}

function describeDelivery(
  base: TriggerOutcome,
  delivery: DeliveryDetails,
  timeout: number,
): TriggerOutcome {
  const { state, lastStatus, attempts } = delivery;
  const durationMs = attempts.at(-1)?.durationMs ?? null;
  const known = { ...base, status: lastStatus, durationMs };
  if (state === 'delivered') return { ...known, outcome: 'delivered' };
  const isFailed = state === 'failed';
  return {
    ...known,
    outcome: isFailed ? 'failed' : 'pending',
    code: 'delivery_failed',
    message: isFailed ? formatFailure(delivery) : `no result after ${timeout / 1_000} s`,
  };
}

/** @throws what failed, if anything did, or if nothing was sent */
function reportResult(
  event: EventType,
  outcomes: readonly TriggerOutcome[],
  { stoppedBy, writeFailure }: { stoppedBy: unknown; writeFailure: unknown },
  context: CliContext,
): void {
  const count = (kind: TriggerOutcomeKind) =>
    outcomes.filter(({ outcome }) => outcome === kind).length;
  const counts = outcomeKinds.flatMap((kind) =>
    count(kind) > 0 ? [`${count(kind)} ${kind.replace('_', ' ')}`] : [],
  );
  const summary = `${event}: ${counts.join(', ')}`;
  if (context.signal.aborted && count('delivered') + count('paused') < outcomes.length) {
    throw new CliError('interrupted', `Interrupted. ${summary}`);
  }
  if (count('paused') === outcomes.length) throw nothingSentError(event, outcomes);
  // An error of that kind, such as a rejected key, has an exit code of its own.
  if (stoppedBy !== null && count('delivered') === 0) throw stoppedBy;
  const failed = outcomes.find(({ outcome }) => outcome === 'failed' || outcome === 'pending');
  if (failed !== undefined) {
    throw new CliError('delivery_failed', summary, ...explainHints(failed));
  }
  if (writeFailure !== null) throw writeFailure;
  printNotice(context, `${summary}.`);
}

function nothingSentError(event: EventType, paused: readonly TriggerOutcome[]): CliError {
  const [first] = paused;
  return first === undefined
    ? new CliError(
        'delivery_failed',
        `No webhook subscribes to ${event}: nothing was sent`,
        commandHint('To list webhooks and their event types, run', 'webhooks list'),
      )
    : new CliError(
        'delivery_failed',
        `Every webhook that subscribes to ${event} is paused: nothing was sent`,
        commandHint('Resume it:', 'webhooks resume', first.webhookId),
      );
}

function explainHints({ deliveryId }: TriggerOutcome): Hint[] {
  return deliveryId === null
    ? []
    : [commandHint('For details, run', 'webhooks explain', deliveryId)];
}
