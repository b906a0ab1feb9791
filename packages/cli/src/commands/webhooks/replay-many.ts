import type { DeliveryState, ReplayedDeliveries, Tradepost } from '@tradepost/sdk';
import { runBulk, sendFor } from '../../bulk/run-bulk';
import { createClientFor } from '../../client/create-client';
import { wasNotAttempted } from '../../client/outage';
import { resolveSettings } from '../../config/settings';
import type { CliContext } from '../../context';
import { assertObject, baseUrlHint, CliError } from '../../errors/cli-error';
import { maxPageSize } from '../../input/options';
import { confirm } from '../../input/prompt';
import { chooseFormat } from '../../output/format';
import { createBestEffortWriter, printNotice, writeData } from '../../output/print';
import { formatCount } from '../../output/text';
import type { View } from '../../output/view';
import { createPausedError, listEndpoints, printWaiting } from './endpoint-view';
import { finishReplays, type ReplayOptions } from './finish-replays';
import { toDeliveryQuery } from './webhook-options';

/** What was replayed to one webhook. */
interface Replays {
  webhookId: string;
  /** How many deliveries were found. */
  found: number;
  /** How many of them are due again. */
  replayed: number;
  /** How many were in flight. */
  skipped: number;
  /** How many arrived, and how many did not, with `--wait`. */
  delivered: number | null;
  failed: number | null;
}

/** The deliveries to a webhook that were found, and when they were queued. */
interface Target {
  ids: string[];
  since: string;
  until: string;
}

/** Creates the view; with `--wait`, what arrived matters more than what was found. */
function createView(wait: boolean): View<Replays> {
  const first = wait ? {} : ({ whenNarrow: 'leave-out' } as const);
  const second = wait ? ({ whenNarrow: 'leave-out' } as const) : {};
  return {
    fields: ['webhookId', 'found', 'replayed', 'skipped', 'delivered', 'failed'],
    columns: [
      { title: 'WEBHOOK', field: 'webhookId' },
      { title: 'FOUND', field: 'found', align: 'right', ...second },
      { title: 'REPLAYED', field: 'replayed', align: 'right' },
      { title: 'SKIPPED', field: 'skipped', align: 'right', ...second },
      { title: 'DELIVERED', field: 'delivered', align: 'right', ...first },
      { title: 'FAILED', field: 'failed', align: 'right', ...first },
    ],
  };
}

export const replaysView = createView(false);

/** Describes the fields above. */
export const replaysOutput = [
  'found: how many deliveries match; replayed: how many are sent again; skipped: those in flight',
  'delivered, failed: what became of them with --wait; null otherwise',
];

/** Sends all deliveries of a state again that the options select. */
export async function replayMany(
  state: DeliveryState,
  options: ReplayOptions,
  context: CliContext,
): Promise<void> {
  const { webhookId: _, limit: __, ...filter } = toDeliveryQuery({ ...options, state }, 1);
  const format = await chooseFormat(options, createView(options.wait ?? false), context);
  const settings = resolveSettings(context, options);
  const client = createClientFor(settings, context, options);
  const webhooks = await findWebhooks(client, options, context);
  const targets = await findTargets(client, state, options, context);
  const ids = new Set([...targets.values()].flatMap((target) => target.ids));
  const rows = Array.from(targets, ([webhookId, target]): Replays => {
    const found = target.ids.length;
    return { webhookId, found, replayed: 0, skipped: 0, delivered: null, failed: null };
  });
  const print = async () => `${await format.formatItems(rows)}${await format.end()}`;
  const what = formatCount(ids.size, `${state} delivery`, `${state} deliveries`);
  if (options.dryRun || ids.size === 0) {
    await writeData(context.stdout, print());
    if (ids.size > 0) return printNotice(context, `Would replay ${what}. Nothing changed.`);
    printNotice(context, `No ${state} deliveries found.`);
    const waiting = webhooks.filter(({ pendingDeliveries }) => pendingDeliveries > 0);
    return printWaiting(waiting, options, context);
  }
  if (ids.size > 1) {
    const to = formatCount(targets.size, 'webhook');
    const question = `Replay ${what} to ${to} at ${settings.baseUrl}?`;
    await confirm(question, context, { ...options, canDryRun: true });
  }
  // A request replays as many as the rate allows in a second.
  const { rate } = options;
  const limit = Math.max(1, Math.min(maxPageSize, Math.floor(1_000 / (rate ?? 1))));
  const rest =
    state === 'pending'
      ? 'The same command sends all again that still wait.'
      : 'The same command continues with those that are left.';
  const run = await runBulk(
    {
      ids: [...targets.keys()],
      concurrency: 1,
      reconnectTimeout: options.reconnectTimeout,
      parts: ids.size,
      resumeHints: [rest],
      showProgress: true,
      async work(webhookId, requests) {
        const row = rows.find((one) => one.webhookId === webhookId) as Replays;
        let portions: AsyncIterator<ReplayedDeliveries, undefined> | undefined;
        for (;;) {
          const { data, error } = await sendFor(requests, (request) => {
            // Those that matched only after they were listed are left out.
            const { until } = targets.get(webhookId) as Target;
            const params = { ...filter, until, limit, max: row.found };
            portions ??= client.webhooks.replayAll(webhookId, params, request);
            return portions.next();
          });
          if (wasNotAttempted(error, context)) return { outcome: 'not_attempted', error: null };
          if (data === null) return { outcome: 'failed', error };
          if (data.done) return { outcome: 'replayed', error: null };
          const { replayed, skipped, nextCursor } = data.value;
          row.replayed += replayed;
          row.skipped += skipped;
          requests.progress(replayed + skipped);
          if (nextCursor === null || row.replayed + row.skipped >= row.found) continue;
          if (rate !== undefined) await context.wait(rate * limit, context.signal);
          if (context.signal.aborted) return { outcome: 'not_attempted', error: null };
        }
      },
    },
    context,
  );
  const paused = webhooks.filter(({ id, status }) => status === 'paused' && targets.has(id));
  printWaiting(paused, options, context);
  // The class of the last response changes with an attempt.
  const { statusClass, ...lasting } = options;
  const sum = (field: 'replayed' | 'skipped') => rows.reduce((total, row) => total + row[field], 0);
  await finishReplays(
    client,
    {
      what: `${state} `,
      ids,
      lists: Array.from(targets, ([webhook, { since, until }]) =>
        toDeliveryQuery({ ...lasting, webhook, since, until }, maxPageSize),
      ),
      replayed: sum('replayed'),
      skipped: sum('skipped'),
      run,
      rest: [rest],
    },
    createBestEffortWriter(context.stdout),
    async (arrival) => {
      const all = [...(arrival?.seen.values() ?? [])];
      for (const row of arrival?.error === null ? rows : []) {
        const count = (wanted: DeliveryState) =>
          all.filter((one) => one.webhookId === row.webhookId && one.state === wanted).length;
        row.delivered = count('delivered');
        row.failed = count('failed');
      }
      return await print();
    },
    options,
    context,
  );
}

/**
 * Returns the webhook that was named, or all.
 *
 * @throws {TradepostError} `webhook_not_found`
 * @throws {CliError} `webhook_paused` if the one that was named sends nothing
 */
async function findWebhooks(
  client: Tradepost,
  { webhook: id }: ReplayOptions,
  context: CliContext,
) {
  if (id === undefined) return await listEndpoints(client, context);
  const found = await client.webhooks.get(id, { signal: context.signal });
  if (found.status === 'paused') throw createPausedError(found);
  return [found];
}

/** Lists the deliveries that match, newest first, by their webhook. */
async function findTargets(
  { deliveries }: Tradepost,
  state: DeliveryState,
  { limit = Number.POSITIVE_INFINITY, ...options }: ReplayOptions,
  { signal }: CliContext,
): Promise<Map<string, Target>> {
  const query = toDeliveryQuery({ ...options, state }, maxPageSize);
  const targets = new Map<string, Target>();
  let count = 0;
  for await (const delivery of deliveries.list(query, { signal })) {
    const { id, webhookId, createdAt } = assertObject(delivery);
    const queuedAt = Date.parse(createdAt);
    if (Number.isNaN(queuedAt)) {
      throw new CliError('invalid_response', `The service sent no time for ${id}`, baseUrlHint);
    }
    const until = new Date(queuedAt + 1).toISOString();
    const target = targets.get(webhookId) ?? { ids: [], since: createdAt, until };
    target.ids.push(id);
    target.since = createdAt;
    targets.set(webhookId, target);
    count += 1;
    if (count >= limit) break;
  }
  return targets;
}
