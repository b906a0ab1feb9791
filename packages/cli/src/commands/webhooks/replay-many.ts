import { randomUUID } from 'node:crypto';
import type { Delivery, DeliveryState, ReplayDeliveriesParams, Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { type BulkResult, type ItemRequests, runBulk, sendFor } from '../../bulk/run-bulk';
import { createClientFor } from '../../client/create-client';
import { wasNotAttempted } from '../../client/outage';
import { resolveSettings } from '../../config/settings';
import type { CliContext } from '../../context';
import { BulkError, CliError, commandHint, getErrorMessage } from '../../errors/cli-error';
import { getExitReason, mayHaveBeenApplied } from '../../errors/exit-codes';
import {
  type GlobalOptions,
  maxPageSize,
  parseDuration,
  rateOption,
  reconnectTimeoutOption,
  yesOption,
} from '../../input/options';
import { confirm } from '../../input/prompt';
import { chooseFormat } from '../../output/format';
import { createBestEffortWriter, isReaderGone, printNotice, writeData } from '../../output/print';
import { createProgress } from '../../output/progress';
import { formatCount, formatNumber } from '../../output/text';
import type { View } from '../../output/view';
import { formatFailure } from './delivery-view';
import { listEndpoints, printBackoffs } from './endpoint-view';
import { type DeliveryFilterOptions, matchesQuery, toDeliveryQuery } from './webhook-options';

/** The options of commands that replay deliveries. */
export interface ReplayOptions extends GlobalOptions {
  /** Milliseconds between two deliveries. */
  rate?: number;
  reconnectTimeout: number;
  dryRun?: true;
  yes?: true;
  wait?: true;
  /** How long `wait` waits, in milliseconds. */
  timeout: number;
}

export interface ReplayManyOptions extends ReplayOptions, DeliveryFilterOptions {
  /** The newest deliveries only. */
  limit?: number;
}

/** Adds the options of commands that replay deliveries. */
export function addReplayOptions(command: Command): Command {
  return command
    .option(...rateOption)
    .option('--wait', 'wait until each is delivered or has failed')
    .addOption(
      command
        .createOption('--timeout <duration>', 'how long --wait waits')
        .argParser(parseDuration)
        .default(300_000, '5m'),
    )
    .option(...reconnectTimeoutOption)
    .option('--dry-run', 'show what would be replayed, and change nothing')
    .option(...yesOption);
}

/** What was replayed to one webhook. */
interface Replays {
  webhookId: string;
  /** How many deliveries were found. */
  found: number;
  /** How many of them are due again. */
  replayed: number;
  /** How many were in flight, or had gone. */
  skipped: number;
  /** How many arrived, and how many did not, with `--wait`. */
  delivered: number | null;
  failed: number | null;
}

export const replaysView: View<Replays> = {
  fields: ['webhookId', 'found', 'replayed', 'skipped', 'delivered', 'failed'],
  columns: [
    { title: 'WEBHOOK', field: 'webhookId' },
    { title: 'FOUND', field: 'found', align: 'right' },
    { title: 'REPLAYED', field: 'replayed', align: 'right' },
    { title: 'SKIPPED', field: 'skipped', align: 'right' },
    { title: 'DELIVERED', field: 'delivered', align: 'right', whenNarrow: 'leave-out' },
    { title: 'FAILED', field: 'failed', align: 'right', whenNarrow: 'leave-out' },
  ],
};

/** Describes the fields above. */
export const replaysOutput = [
  'found: how many deliveries match; replayed: how many are sent again; skipped: those in flight',
  'delivered, failed: what became of them with --wait; null otherwise',
];

const countDeliveries = (count: number, what = '') =>
  formatCount(count, `${what}delivery`, `${what}deliveries`);

/** Sends all deliveries of a state again that the options select. */
export async function replayMany(
  state: DeliveryState,
  options: ReplayManyOptions,
  context: CliContext,
): Promise<void> {
  const filter = toFilter(state, options);
  const format = await chooseFormat(options, replaysView, context);
  const settings = resolveSettings(context, options);
  const client = createClientFor(settings, context, options);
  const { webhooks, extensions } = await listEndpoints(client, context);
  const targets = await findTargets(client, state, options, context);
  const ids = new Set([...targets.values()].flat());
  const rows = Array.from(targets, ([webhookId, { length: found }]): Replays => {
    return { webhookId, found, replayed: 0, skipped: 0, delivered: null, failed: null };
  });
  const print = async () => `${await format.formatItems(rows)}${await format.end()}`;
  const what = countDeliveries(ids.size, `${state} `);
  if (options.dryRun || ids.size === 0) {
    await writeData(context.stdout, print());
    if (ids.size > 0) return printNotice(context, `Would replay ${what}. Nothing changed.`);
    printNotice(context, `No ${state} deliveries found.`);
    return printBackoffs(webhooks, options, context);
  }
  if (ids.size > 1) {
    const to = formatCount(targets.size, 'webhook');
    const question = `Replay ${what} to ${to} at ${settings.baseUrl}?`;
    await confirm(question, context, { ...options, canDryRun: true });
  }
  const isSupported = extensions.includes('deliveries.replays');
  const send = isSupported ? createChunkSender(client, filter) : createSingleSender(client);
  const chunkSize = isSupported ? getChunkSize(options.rate) : 1;
  const rest = 'The same command continues with those that are left.';
  const run = await runBulk(
    {
      ids: [...targets.keys()],
      concurrency: 1,
      reconnectTimeout: options.reconnectTimeout,
      parts: ids.size,
      resumeHints: [rest],
      showProgress: true,
      async work(webhookId, requests) {
        const found = targets.get(webhookId) ?? [];
        // One request sends its oldest first.
        const own = isSupported ? found : found.toReversed();
        const row = rows.find((one) => one.webhookId === webhookId) as Replays;
        const sendNext = send(webhookId);
        for (let start = 0; start < own.length; start += chunkSize) {
          if (start > 0 && options.rate !== undefined)
            await context.wait(options.rate * chunkSize, context.signal);
          if (start > 0 && context.signal.aborted) return notAttempted;
          const chunk = own.slice(start, start + chunkSize);
          const { data, error } = await sendNext(chunk, requests);
          if (wasNotAttempted(error, context)) return notAttempted;
          if (data === null) return { outcome: 'failed', error };
          row.replayed += data.replayed;
          row.skipped += data.skipped;
          requests.progress(chunk.length);
          if (data.isLast) break;
        }
        return { outcome: 'replayed', error: null };
      },
    },
    context,
  );
  const sum = (field: 'replayed' | 'skipped') => rows.reduce((total, row) => total + row[field], 0);
  const replayed = sum('replayed');
  const skipped = sum('skipped');
  const left = ids.size - replayed - skipped;
  const summary = [
    `Replayed ${formatNumber(replayed)} of ${what}`,
    ...(skipped > 0 ? [`${formatNumber(skipped)} in flight`] : []),
    ...(left > 0 ? [`${formatNumber(left)} not replayed`] : []),
  ].join('; ');
  const isComplete = run.failures.length + run.notAttempted.length === 0;
  const result = options.wait && isComplete ? await waitFor(client, ids, options, context) : null;
  for (const row of result === null ? [] : rows) {
    const isOwn = ({ webhookId }: Delivery) => webhookId === row.webhookId;
    row.failed = result?.failed.filter(isOwn).length ?? 0;
    row.delivered = row.found - row.failed - (result?.pending.filter(isOwn).length ?? 0);
  }
  const writer = createBestEffortWriter(context.stdout);
  await writer.write(print);
  if (context.signal.aborted && !isComplete)
    throw new CliError('interrupted', `Interrupted. ${summary}`, rest);
  if (run.failures.length > 0) throw new BulkError(summary, replayed, run.failures, rest);
  const printFailure = writer.failure();
  if (printFailure !== null && !isReaderGone(printFailure)) {
    const message = `${summary}, but the result could not be printed: ${getErrorMessage(printFailure)}`;
    throw new CliError('output_failed', message, 'Do not repeat it.');
  }
  if (result === null) return printNotice(context, `${summary}.`);
  reportArrival(ids.size, result, summary, options, context);
}

const notAttempted: BulkResult = { outcome: 'not_attempted', error: null };

function toFilter(state: DeliveryState, options: ReplayManyOptions): ReplayDeliveriesParams {
  const { webhookId: _, limit: __, ...filter } = toDeliveryQuery({ ...options, state }, 1);
  return filter;
}

/** Lists the deliveries that match, newest first, by their webhook. */
async function findTargets(
  { deliveries }: Tradepost,
  state: DeliveryState,
  { limit = Number.POSITIVE_INFINITY, ...options }: ReplayManyOptions,
  { signal }: CliContext,
): Promise<Map<string, string[]>> {
  const query = toDeliveryQuery({ ...options, state }, maxPageSize);
  const targets = new Map<string, string[]>();
  let count = 0;
  for await (const delivery of deliveries.list(query, { signal })) {
    if (!matchesQuery(delivery, query)) continue;
    const own = targets.get(delivery.webhookId);
    if (own === undefined) targets.set(delivery.webhookId, [delivery.id]);
    else own.push(delivery.id);
    count += 1;
    if (count >= limit) break;
  }
  return targets;
}

/** How many deliveries a request replays: as many as the rate allows in a second. */
function getChunkSize(rate = 1): number {
  return Math.max(1, Math.min(maxPageSize, Math.floor(1_000 / rate)));
}

interface Sent {
  replayed: number;
  skipped: number;
  isLast: boolean;
}

/** Replays some deliveries of a webhook. It never rejects. */
type SendChunk = (
  ids: readonly string[],
  requests: ItemRequests,
) => Promise<{ data: Sent; error: null } | { data: null; error: unknown }>;

/** Replays the next ones that match, in one request. With its key it has one effect, however often it is sent. */
function createChunkSender({ webhooks }: Tradepost, filter: ReplayDeliveriesParams) {
  return (webhookId: string): SendChunk => {
    let cursor: string | null = null;
    return async ({ length: limit }, requests) => {
      const idempotencyKey = randomUUID();
      const params = { ...filter, limit, ...(cursor !== null && { cursor }) };
      return await sendFor(requests, async (request) => {
        const options = { ...request, idempotencyKey };
        const data = await webhooks.replayDeliveries(webhookId, params, options);
        cursor = data.nextCursor;
        return { ...data, isLast: data.nextCursor === null };
      });
    };
  };
}

/** Replays one delivery. One that is in flight, or has gone, is skipped. */
function createSingleSender({ deliveries }: Tradepost) {
  return (): SendChunk =>
    async ([id = ''], requests) => {
      const sent = await sendFor(
        requests,
        (request) => deliveries.replay(id, request),
        (error) => !mayHaveBeenApplied(error),
      );
      const isGone = ['conflict', 'notFound'].includes(getExitReason(sent.error));
      if (sent.error !== null && !isGone) return { data: null, error: sent.error };
      const counts = { replayed: Number(!isGone), skipped: Number(isGone) };
      return { data: { ...counts, isLast: false }, error: null };
    };
}

interface Arrival {
  pending: readonly Delivery[];
  failed: readonly Delivery[];
}

const maxPollMs = 5_000;

/** Waits until deliveries are delivered or have failed, or the timeout is over. */
export async function waitFor(
  { deliveries }: Tradepost,
  ids: ReadonlySet<string>,
  { timeout, statusClass: _, ...filter }: ReplayOptions & DeliveryFilterOptions,
  context: CliContext,
): Promise<Arrival> {
  const { signal } = context;
  const list = async (state: DeliveryState) => {
    const query = toDeliveryQuery({ ...filter, state }, maxPageSize);
    const all = await deliveries
      .list(query, { signal })
      .toArray({ limit: Number.POSITIVE_INFINITY });
    return all.filter((one) => ids.has(one.id) && one.state === state);
  };
  const progress = createProgress(ids.size, context);
  try {
    const endsAt = context.elapsed() + timeout;
    let known = ids.size;
    for (let intervalMs = 200; ; intervalMs = Math.min(intervalMs * 2, maxPollMs)) {
      const pending = await list('pending');
      progress.step('done', Math.max(0, known - pending.length));
      known = Math.min(known, pending.length);
      const leftMs = endsAt - context.elapsed();
      if (pending.length === 0 || leftMs <= 0) return { pending, failed: await list('failed') };
      await context.wait(Math.min(intervalMs, leftMs), signal);
    }
  } finally {
    progress.end();
  }
}

/**
 * Says what became of deliveries that were replayed.
 *
 * @throws {CliError | BulkError} unless all arrived
 */
export function reportArrival(
  count: number,
  { pending, failed }: Arrival,
  summary: string,
  { timeout }: ReplayOptions,
  context: CliContext,
): void {
  const delivered = count - pending.length - failed.length;
  const text = [
    `${summary}: ${formatNumber(delivered)} delivered`,
    `${formatNumber(failed.length)} failed`,
    ...(pending.length > 0
      ? [`${formatNumber(pending.length)} still pending after ${timeout / 1_000} s`]
      : []),
  ].join(', ');
  const [first] = pending;
  const late = first && commandHint('See', 'webhooks explain', first.webhookId);
  const hints = late === undefined ? [] : [late];
  if (failed.length > 0) {
    const failures = failed.map((delivery) => ({
      id: delivery.id,
      error: new CliError('delivery_failed', formatFailure(delivery)),
    }));
    throw new BulkError(text, delivered, failures, ...hints);
  }
  if (pending.length > 0) throw new CliError('delivery_failed', text, ...hints);
  printNotice(context, `${text}.`);
}
