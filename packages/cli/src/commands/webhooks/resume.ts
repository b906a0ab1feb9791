import type { Tradepost, WebhookDetails } from '@tradepost/sdk';
import { explainWebhook } from '@tradepost/sdk/explain';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { CliError, type CommandHint, capitalize, commandHint } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions, maxPageSize } from '../../input/options';
import { confirm, openKeyboard } from '../../input/prompt';
import { chooseFormat, describeShape } from '../../output/format';
import { printNotice, writeData } from '../../output/print';
import { formatCount } from '../../output/text';
import { chooseTimes, formatTimes } from '../../output/times';
import { formatHints } from '../../report/hint';
import { toHint } from './action-hint';
import { describeEndpoint } from './endpoint-view';
import { updateWebhook } from './update';
import { webhookView } from './webhook-view';

interface Options extends GlobalOptions {
  /** Undefined: it asks. */
  replay?: boolean;
}

export function configure(command: Command, context: CliContext): void {
  addId(command, 'whk')
    .option('--replay', 'also replay what failed before the service disabled it, without asking')
    .option('--no-replay', 'do not ask whether to replay it')
    .action(async (id: string) => {
      await resume(id, command.optsWithGlobals<Options>(), context);
    });
  addHelp(command, {
    fields: webhookView.fields,
    Examples: [
      '$ tradepost webhooks resume whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW',
      '$ tradepost webhooks resume whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --replay',
    ],
    Output: [`json: the webhook as it is now, ${describeShape(webhookView)}`],
    Notes: [
      'It sends pending deliveries, except those older than 24 hours.',
      'A webhook that the service disabled has missed older ones: it says how many, and offers to replay them.',
      'A webhook that is not paused stays as it is. `tradepost webhooks retry` sends what waits while its endpoint backs off.',
    ],
  });
}

async function resume(id: string, options: Options, context: CliContext): Promise<void> {
  const format = await chooseFormat(options, webhookView, context);
  const client = createClient(context, options);
  const webhook = await client.webhooks.get(id, { signal: context.signal });
  if (webhook.status !== 'active') {
    await updateWebhook(id, { status: 'active' }, 'resumed', options, context);
    return await offerReplay(webhook, client, options, context);
  }
  await writeData(context.stdout, format.formatItem(webhook));
  const summary = describeEndpoint(webhook, options, context);
  printNotice(context, `It was not paused: ${summary}. Nothing changed.`);
  const { actions } = explainWebhook(webhook, { now: context.now() });
  const hints = formatHints(actions.map(toHint), options);
  if (hints !== null) printNotice(context, hints);
}

/** The first delivery that failed was queued before its attempt: what took a minute at most is included. */
const queuedBeforeMs = 60_000;

/** Returns from when on deliveries to a webhook failed, with those that were in flight then. */
function findStart({ failingSince, disabledAt }: WebhookDetails): string | null {
  const time = Date.parse(failingSince ?? disabledAt ?? '');
  return Number.isNaN(time) ? null : new Date(time - queuedBeforeMs).toISOString();
}

/** Says what a webhook missed that the service disabled, and replays it if that is wanted. */
async function offerReplay(
  webhook: WebhookDetails,
  client: Tradepost,
  options: Options,
  context: CliContext,
): Promise<void> {
  const { id, disabledAt } = webhook;
  const since = findStart(webhook);
  if (since === null || (!disabledAt && options.replay !== true)) return;
  const { signal } = context;
  const query = { webhookId: id, state: 'failed', since, limit: maxPageSize } as const;
  const found = await client.deliveries.list(query, { signal }).safe();
  // The webhook is resumed: what the service cannot say about deliveries is left out.
  if (!found.ok) return printNotice(context, `Its failed deliveries: ${found.error.message}`);
  const { data, nextCursor } = found.data;
  const count = formatCount(data.length, 'delivery', 'deliveries');
  const what =
    data.length === 0 ? 'no delivery' : `${nextCursor === null ? '' : 'more than '}${count}`;
  const times = chooseTimes(options, context);
  const told = disabledAt
    ? `It was disabled at ${disabledAt}: ${what} failed since ${since}.`
    : `${capitalize(what)} failed since ${since}.`;
  printNotice(context, times === null ? told : formatTimes(told, times.alone));
  if (data.length === 0) return;
  const args = ['--failed', '--webhook', id, '--since', since];
  const hint = commandHint('To replay what failed, run', 'webhooks replay', ...args);
  if (!(await isWanted(`Replay ${what} to ${id}?`, options, context))) {
    return printNotice(context, formatHints([hint], options) ?? '');
  }
  await replay(client, { id, since, hint }, context);
}

/** Asks, if there is someone to ask. */
async function isWanted(
  question: string,
  { replay }: Options,
  context: CliContext,
): Promise<boolean> {
  if (replay !== undefined) return replay;
  const keyboard = openKeyboard(context);
  if (keyboard === null) return false;
  keyboard.close();
  try {
    await confirm(question, context, {});
    return true;
  } catch (error) {
    if (error instanceof CliError && error.code === 'declined') return false;
    throw error;
  }
}

async function replay(
  { webhooks }: Tradepost,
  { id, since, hint }: { id: string; since: string; hint: CommandHint },
  context: CliContext,
): Promise<void> {
  let count = 0;
  const { signal } = context;
  try {
    const until = new Date(context.now()).toISOString();
    const params = { state: 'failed', since, until } as const;
    for await (const { replayed } of webhooks.replayAll(id, params, { signal })) count += replayed;
  } catch (error) {
    const done = `${id} is resumed, and ${formatCount(count, 'delivery', 'deliveries')} replayed`;
    printNotice(context, `${done}. ${formatHints([hint]) ?? ''}`);
    throw error;
  }
  printNotice(context, `Replayed ${formatCount(count, 'delivery', 'deliveries')}.`);
}
