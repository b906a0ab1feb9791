import type { Delivery, DeliveryState, Tradepost, WebhookDetails } from '@tradepost/sdk';
import type { Command } from 'commander';
import type { BulkRun } from '../../bulk/run-bulk';
import { createShutdownGrace } from '../../bulk/shutdown-grace';
import type { CliContext } from '../../context';
import { BulkError, CliError, commandHint, getErrorMessage } from '../../errors/cli-error';
import {
  type GlobalOptions,
  maxPageSize,
  parseDuration,
  rateOption,
  reconnectTimeoutOption,
  yesOption,
} from '../../input/options';
import { type createBestEffortWriter, isReaderGone, printNotice } from '../../output/print';
import { createProgress } from '../../output/progress';
import { formatCount, formatNumber } from '../../output/text';
import { formatHints } from '../../report/hint';
import { formatFailure } from './delivery-view';
import { type DeliveryFilterOptions, toDeliveryQuery } from './webhook-options';

/** The options of commands that replay deliveries. */
export interface ReplayOptions extends GlobalOptions, DeliveryFilterOptions {
  /** Milliseconds between two deliveries. */
  rate?: number;
  reconnectTimeout: number;
  dryRun?: true;
  yes?: true;
  wait?: true;
  /** How long `wait` waits, in milliseconds. */
  timeout?: number;
  /** The newest deliveries only. */
  limit?: number;
}

/** Adds the options of commands that replay deliveries. */
export function addReplayOptions(command: Command): Command {
  return command
    .option(...rateOption)
    .option('--wait', 'wait until each is delivered or has failed')
    .option('--timeout <duration>', 'how long --wait waits (default: 5m)', parseDuration)
    .option(...reconnectTimeoutOption)
    .option('--dry-run', 'show what would be replayed, and change nothing')
    .option(...yesOption);
}

/** @throws {CliError} `usage` for `--timeout` without `--wait`, which it is about */
export function checkTimeout({ wait, timeout }: ReplayOptions): void {
  if (timeout !== undefined && !wait) throw new CliError('usage', '--timeout needs --wait');
}

/** What was replayed. */
export interface Replayed {
  /** Which deliveries, such as `failed` ones; empty for those that were named. */
  what: string;
  ids: ReadonlySet<string>;
  replayed: number;
  /** How many were in flight. */
  skipped: number;
  run: Pick<BulkRun, 'failures' | 'notAttempted'>;
  /** How to replay those that are left. */
  rest: readonly string[];
}

/** What became of deliveries that were replayed, as far as it is known. */
export interface Arrival {
  pending: readonly Delivery[];
  failed: readonly Delivery[];
  /** Why waiting for them ended early; null if it did not. */
  error: unknown;
}

/**
 * Prints the rest of the results, waits until all have arrived if that was requested, and reports both.
 *
 * @param print returns what is left to print; the arrival is null if it was not waited for
 * @throws {CliError | BulkError} unless all were replayed, and have arrived
 */
export async function finishReplays(
  client: Tradepost,
  { what, ids, replayed, skipped, run, rest }: Replayed,
  writer: ReturnType<typeof createBestEffortWriter>,
  print: (arrival: Arrival | null) => Promise<string>,
  options: ReplayOptions,
  context: CliContext,
): Promise<void> {
  const left = ids.size - replayed - skipped;
  const isComplete = run.failures.length + run.notAttempted.length === 0;
  const verb = options.dryRun ? 'Would replay' : 'Replayed';
  const all = formatCount(ids.size, `${what}delivery`, `${what}deliveries`);
  const summary = [
    `${verb} ${formatNumber(replayed)} of ${all}`,
    ...(skipped > 0 ? [`${formatNumber(skipped)} in flight`] : []),
    ...(left > 0
      ? [`${formatNumber(left)} ${options.dryRun ? 'impossible' : 'not replayed'}`]
      : []),
  ].join('; ');
  const isAwaited = options.wait && isComplete && !options.dryRun;
  const arrival = isAwaited ? await waitFor(client, ids, options, context) : null;
  await writer.write(() => print(arrival));
  if (context.signal.aborted && !isComplete) {
    throw new CliError('interrupted', `Interrupted. ${summary}`, ...rest);
  }
  const [first] = run.failures;
  if (first !== undefined) {
    throw ids.size === 1 ? first.error : new BulkError(summary, replayed, run.failures, ...rest);
  }
  const failure = writer.failure();
  if (failure !== null && !isReaderGone(failure)) {
    const message = `${summary}, but the result could not be printed: ${getErrorMessage(failure)}`;
    throw new CliError('output_failed', message, 'Do not repeat it.');
  }
  if (options.dryRun) printNotice(context, `${summary}. Nothing changed.`);
  else if (arrival === null) printNotice(context, `${summary}.`);
  else reportArrival(ids.size, arrival, summary, options, context);
}

const defaultTimeoutMs = 300_000;
const maxPollMs = 5_000;

/** Waits until deliveries are delivered or have failed, the timeout is over, or Ctrl-C. It never rejects. */
async function waitFor(
  { deliveries }: Tradepost,
  ids: ReadonlySet<string>,
  { timeout = defaultTimeoutMs, statusClass: _, ...filter }: ReplayOptions,
  context: CliContext,
): Promise<Arrival> {
  let pending: readonly Delivery[] = [];
  const progress = createProgress(null, context);
  const grace = createShutdownGrace(context, () => {});
  const list = (state: DeliveryState) =>
    grace.during(async (signal) => {
      const query = toDeliveryQuery({ ...filter, state }, maxPageSize);
      const all = deliveries.list(query, { signal }).toArray({ limit: Number.POSITIVE_INFINITY });
      return (await all).filter((one) => ids.has(one.id) && one.state === state);
    });
  try {
    const endsAt = context.elapsed() + timeout;
    for (let intervalMs = 200; ; intervalMs = Math.min(intervalMs * 2, maxPollMs)) {
      pending = await list('pending');
      progress.hold(() => `${formatNumber(pending.length)} of ${formatNumber(ids.size)} pending`);
      const leftMs = endsAt - context.elapsed();
      if (pending.length === 0 || leftMs <= 0 || context.signal.aborted) {
        return { pending, failed: await list('failed'), error: null };
      }
      await context.wait(Math.min(intervalMs, leftMs), context.signal);
    }
  } catch (error) {
    return { pending, failed: [], error };
  } finally {
    grace.end();
    progress.end();
  }
}

/** @throws {CliError | BulkError} unless all arrived */
function reportArrival(
  count: number,
  { pending, failed, error }: Arrival,
  summary: string,
  { timeout = defaultTimeoutMs }: ReplayOptions,
  context: CliContext,
): void {
  if (error !== null) {
    if (context.signal.aborted) throw new CliError('interrupted', `Interrupted. ${summary}`);
    printNotice(context, `${summary}. Waiting for them failed.`);
    throw error;
  }
  const delivered = count - pending.length - failed.length;
  const after = context.signal.aborted ? '' : ` after ${timeout / 1_000} s`;
  const text = [
    `${summary}: ${formatNumber(delivered)} delivered`,
    `${formatNumber(failed.length)} failed`,
    ...(pending.length > 0 ? [`${formatNumber(pending.length)} still pending${after}`] : []),
  ].join(', ');
  const [first] = pending;
  const late = first && commandHint('See', 'webhooks explain', first.webhookId);
  const hints = late === undefined ? [] : [late];
  if (context.signal.aborted && pending.length > 0) {
    throw new CliError('interrupted', `Interrupted. ${text}`, ...hints);
  }
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

/** Says which of the webhooks that were sent to are paused: what was replayed waits. */
export function printPaused(
  webhooks: readonly WebhookDetails[],
  webhookIds: { has(id: string): boolean },
  options: GlobalOptions,
  context: CliContext,
): void {
  for (const { id, status } of webhooks) {
    if (status !== 'paused' || !webhookIds.has(id)) continue;
    const text = `${id} is paused: its deliveries wait. To send them, run`;
    const hint = { text, command: 'webhooks resume', args: [id] };
    printNotice(context, formatHints([hint], options) ?? '');
  }
}
