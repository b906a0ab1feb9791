import type { Delivery, DeliveryListParams, DeliveryState, Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { runPool } from '../../bulk/pool';
import { type BulkRun, type ItemRequests, sendFor } from '../../bulk/run-bulk';
import { createShutdownGrace } from '../../bulk/shutdown-grace';
import { createOutageGate, isAway, isTemporary } from '../../client/outage';
import { createOutagePolicy } from '../../client/outage-report';
import type { CliContext } from '../../context';
import { BulkError, CliError, commandHint, getErrorMessage } from '../../errors/cli-error';
import { getExitReason } from '../../errors/exit-codes';
import {
  type GlobalOptions,
  parseDuration,
  rateOption,
  reconnectTimeoutOption,
  yesOption,
} from '../../input/options';
import { type createBestEffortWriter, isReaderGone, printNotice } from '../../output/print';
import { createProgress } from '../../output/progress';
import { formatCount, formatNumber } from '../../output/text';
import { formatFailure } from './delivery-view';
import type { DeliveryFilterOptions } from './webhook-options';

interface WaitOptions {
  /** How long it waits for deliveries, in milliseconds. */
  timeout?: number;
  /** How long it waits for a service that is away, in seconds. */
  reconnectTimeout: number;
}

/** The options of commands that replay deliveries. */
export interface ReplayOptions extends GlobalOptions, DeliveryFilterOptions, WaitOptions {
  /** Milliseconds between two deliveries. */
  rate?: number;
  dryRun?: true;
  yes?: true;
  wait?: true;
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
  /** The lists that have them, of any state; null to read each by its ID. */
  lists: readonly DeliveryListParams[] | null;
  replayed: number;
  /** How many were in flight. */
  skipped: number;
  run: Pick<BulkRun, 'failures' | 'notAttempted'>;
  /** How to replay those that are left. */
  rest: readonly string[];
}

/** What became of deliveries that were replayed, as far as it is known. */
export interface Arrival {
  /** Those that were seen, by their ID. */
  seen: ReadonlyMap<string, Delivery>;
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
  { what, ids, lists, replayed, skipped, run, rest }: Replayed,
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
  const arrival = isAwaited ? await waitForDeliveries(client, ids, lists, options, context) : null;
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
  else reportArrival(ids, arrival, summary, options, context);
}

const defaultTimeoutMs = 300_000;
const maxPollMs = 5_000;
/** Deliveries that are read at the same time. */
const concurrency = 4;

/**
 * Waits until deliveries are delivered or have failed, the timeout is over, or Ctrl-C. It waits for a service that is
 * away, and never rejects.
 *
 * @param lists see `Replayed`
 */
export async function waitForDeliveries(
  { deliveries }: Pick<Tradepost, 'deliveries'>,
  ids: ReadonlySet<string>,
  lists: Replayed['lists'],
  { timeout = defaultTimeoutMs, reconnectTimeout }: WaitOptions,
  context: CliContext,
): Promise<Arrival> {
  const { elapsed, signal } = context;
  const seen = new Map<string, Delivery>();
  const progress = createProgress(null, context);
  const grace = createShutdownGrace(context, () => {});
  const awayFor = { reconnectTimeout: Math.min(reconnectTimeout, Math.ceil(timeout / 1_000)) };
  const policy = createOutagePolicy({ ...awayFor, hadContact: true }, progress, context);
  const isRetryable = (error: unknown) => isAway(error) || isTemporary(error);
  const gate = createOutageGate({ ...policy, isRetryable }, context);
  const requests: Pick<ItemRequests, 'send'> = {
    send: (attempt) => gate.send(() => grace.during(attempt)),
  };

  async function list(state: DeliveryState): Promise<void> {
    for (const params of lists ?? []) {
      const { data, error } = await sendFor(requests, (request) =>
        deliveries.list({ ...params, state }, request).toArray({ limit: Number.POSITIVE_INFINITY }),
      );
      if (data === null) throw error;
      for (const one of data) if (ids.has(one.id)) seen.set(one.id, one);
    }
  }

  /** Reads each of these by its ID. One that was deleted is not seen any more. */
  async function get(targets: readonly string[]): Promise<void> {
    let failure: unknown = null;
    const work = async (id: string) => {
      const { data, error } = await sendFor(requests, (request) => deliveries.get(id, request));
      if (data !== null) {
        const { body, attempts, ...delivery } = data;
        seen.set(id, delivery);
      } else if (getExitReason(error) === 'notFound') seen.delete(id);
      else failure ??= error;
      return failure !== null;
    };
    await runPool({ targets, concurrency, signal, turn: gate.untilOver, work });
    if (failure !== null) throw failure;
  }

  let pending = [...ids];
  try {
    const endsAt = elapsed() + timeout;
    for (let intervalMs = 200; ; intervalMs = Math.min(intervalMs * 2, maxPollMs)) {
      if (lists !== null) seen.clear();
      await (lists === null ? get(pending) : list('pending'));
      pending = [...seen.values()].flatMap(({ id, state }) => (state === 'pending' ? [id] : []));
      const text = `${formatNumber(pending.length)} of ${formatNumber(ids.size)} pending`;
      progress.hold(() => text);
      const leftMs = endsAt - elapsed();
      if (pending.length === 0 || leftMs <= 0 || signal.aborted) {
        await list('failed');
        await list('delivered');
        return { seen, error: null };
      }
      await context.wait(Math.min(intervalMs, leftMs), signal);
    }
  } catch (error) {
    return { seen, error };
  } finally {
    grace.end();
    progress.end();
  }
}

/** @throws {CliError | BulkError} unless all arrived */
function reportArrival(
  ids: ReadonlySet<string>,
  { seen, error }: Arrival,
  summary: string,
  { timeout = defaultTimeoutMs }: ReplayOptions,
  context: CliContext,
): void {
  if (error !== null) {
    if (context.signal.aborted) throw new CliError('interrupted', `Interrupted. ${summary}`);
    printNotice(context, `${summary}. Waiting for them failed.`);
    throw error;
  }
  const select = (state: DeliveryState) => [...seen.values()].filter((one) => one.state === state);
  const [pending, failed] = [select('pending'), select('failed')];
  const delivered = select('delivered').length;
  const unknown = ids.size - seen.size;
  const after = context.signal.aborted ? '' : ` after ${timeout / 1_000} s`;
  const text = [
    `${summary}: ${formatNumber(delivered)} delivered`,
    `${formatNumber(failed.length)} failed`,
    ...(pending.length > 0 ? [`${formatNumber(pending.length)} still pending${after}`] : []),
    ...(unknown > 0 ? [`${formatNumber(unknown)} unknown`] : []),
  ].join(', ');
  const [first] = pending;
  const late = first && commandHint('See', 'webhooks explain', first.webhookId);
  const hints = late === undefined ? [] : [late];
  if (context.signal.aborted && delivered + failed.length < ids.size) {
    throw new CliError('interrupted', `Interrupted. ${text}`, ...hints);
  }
  if (failed.length > 0) {
    const failures = failed.map((delivery) => ({
      id: delivery.id,
      error: new CliError('delivery_failed', formatFailure(delivery)),
    }));
    throw new BulkError(text, delivered, failures, ...hints);
  }
  if (delivered < ids.size) throw new CliError('delivery_failed', text, ...hints);
  printNotice(context, `${text}.`);
}
