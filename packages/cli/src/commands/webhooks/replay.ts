import type { Delivery, Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { noFailure, type OutcomeFailure, type OutcomeKind, toFailure } from '../../bulk/outcome';
import { runBulk, sendFor } from '../../bulk/run-bulk';
import { createClient } from '../../client/create-client';
import { wasNotAttempted } from '../../client/outage';
import type { CliContext } from '../../context';
import { CliError, localHint } from '../../errors/cli-error';
import { mayHaveBeenApplied } from '../../errors/exit-codes';
import { addHelp } from '../../help/help';
import { addIds, parseCount, timeNote } from '../../input/options';
import { chooseFormat, describeShape } from '../../output/format';
import { createBestEffortWriter } from '../../output/print';
import type { StyleName } from '../../output/text';
import type { Format, View } from '../../output/view';
import { getStateStyle } from './delivery-view';
import { listEndpoints, printWaiting } from './endpoint-view';
import {
  addReplayOptions,
  checkTimeout,
  finishReplays,
  type ReplayOptions,
} from './finish-replays';
import { replayMany, replaysOutput, replaysView } from './replay-many';
import { addDeliveryFilter } from './webhook-options';

interface Options extends ReplayOptions {
  failed?: true;
}

interface ReplayOutcome extends OutcomeFailure {
  id: string;
  outcome: OutcomeKind;
  state: string | null;
}

const styles: Partial<Record<OutcomeKind, StyleName>> = {
  replayed: 'green',
  would_replay: 'cyan',
  failed: 'red',
  not_attempted: 'yellow',
};

const replayOutcomeView: View<ReplayOutcome> = {
  fields: ['id', 'outcome', 'state', 'code', 'message', 'requestId'],
  columns: [
    { title: 'ID', field: 'id' },
    { title: 'OUTCOME', field: 'outcome', style: ({ outcome }) => styles[outcome] ?? null },
    { title: 'STATE', field: 'state', style: ({ state }) => getStateStyle(state) },
    { title: 'WHY', field: 'message', text: ({ message }) => message ?? '', whenNarrow: 'wrap' },
  ],
};

/** Replays in flight: if the service is slow, the rate is lower than requested. */
const concurrency = 4;
/** Milliseconds between two starts. */
const defaultRateMs = 200;

export function configure(command: Command, context: CliContext): void {
  addIds(command, 'dlv').option('--failed', 'failed deliveries matching the filters');
  addDeliveryFilter(command, context).option(
    '--limit <n>',
    'with --failed: the newest <n>',
    parseCount,
  );
  addReplayOptions(command).action((ids: string[]) =>
    replay(ids, command.optsWithGlobals<Options>(), context),
  );
  addHelp(command, {
    fields: [...replayOutcomeView.fields, ...replaysView.fields],
    Examples: [
      '$ tradepost webhooks replay dlv_01KAJ8Q0V7T3M5X9R2C4D6F8GD',
      '$ tradepost webhooks replay --failed --since 6h --status-class 5xx --dry-run',
      '$ tradepost webhooks replay --failed --webhook whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --yes --wait',
    ],
    Output: [
      `json, IDs: an array of ${describeShape(replayOutcomeView)}`,
      'outcome: replayed, failed, not_attempted; would_replay with --dry-run',
      'state: the state of the delivery, pending after a replay',
      `json, --failed: an array of ${describeShape(replaysView)}, one for each webhook`,
      ...replaysOutput,
    ],
    Notes: [
      'A delivery is sent again with the same bytes and the same webhook-id: a receiver that deduplicates processes it once.',
      'With --failed more than one needs confirmation, or --yes. The default rate of IDs is 5/s.',
      'What waits while an endpoint backs off has not failed: `tradepost webhooks retry` sends it.',
      'It continues after a failure. Exit code 7: some were replayed, or delivered with --wait, and some failed.',
      'Ctrl-C completes requests in flight. The same command with --failed continues with those that are left.',
      'A webhook that is paused or disabled sends nothing until it is resumed: --webhook does not accept it.',
      timeNote,
    ],
  });
}

async function replay(given: string[], options: Options, context: CliContext): Promise<void> {
  checkUsage(given, options);
  if (options.failed) return await replayMany('failed', options, context);
  const format = await chooseFormat(options, replayOutcomeView, context);
  await replayIds(new Set(given), createClient(context, options), format, options, context);
}

/** Replays deliveries, or reads each with `--dry-run`. The outcomes are printed as they arrive. */
async function replayIds(
  ids: ReadonlySet<string>,
  client: Tradepost,
  format: Format<ReplayOutcome>,
  options: Options,
  context: CliContext,
): Promise<void> {
  const { deliveries } = client;
  const { rate = defaultRateMs, reconnectTimeout, dryRun } = options;
  const writer = createBestEffortWriter(context.stdout);
  const report = (outcome: ReplayOutcome) => writer.write(() => format.formatItems([outcome]));
  /** The webhooks that send nothing now: they may be paused. */
  const idle = new Set<string>();
  let replayed = 0;
  const run = await runBulk(
    {
      ids: [...ids],
      concurrency,
      intervalMs: rate,
      reconnectTimeout,
      showProgress: false,
      async work(id, requests) {
        const { data, error } = await sendFor<Delivery>(
          requests,
          (request) => (dryRun ? deliveries.get(id, request) : deliveries.replay(id, request)),
          (error) => dryRun === true || !mayHaveBeenApplied(error),
        );
        if (wasNotAttempted(error, context)) return { outcome: 'not_attempted', error: null };
        if (data === null) {
          await report({ id, outcome: 'failed', state: null, ...toFailure(error) });
          return { outcome: 'failed', error };
        }
        const outcome = dryRun ? 'would_replay' : 'replayed';
        replayed += 1;
        if (!dryRun && data.nextAttemptAt === null) idle.add(data.webhookId);
        await report({ id, outcome, state: data.state, ...noFailure });
        return { outcome, error };
      },
    },
    context,
  );
  for (const id of run.notAttempted) {
    await report({ id, outcome: 'not_attempted', state: null, ...noFailure });
  }
  if (idle.size > 0) {
    const webhooks = await listEndpoints(client, context);
    const paused = webhooks.filter(({ id, status }) => status === 'paused' && idle.has(id));
    printWaiting(paused, options, context);
  }
  const result = { what: '', ids, lists: null, replayed, skipped: 0, run, rest: [] };
  await finishReplays(client, result, writer, async () => format.end(), options, context);
}

/** @throws {CliError} `usage` for IDs together with filters, and for neither */
function checkUsage(ids: string[], options: Options): void {
  const { webhook, event, since, until, statusClass, limit } = options;
  checkTimeout(options);
  const filters = [webhook, event, since, until, statusClass, limit];
  const hasFilters = filters.some((filter) => filter !== undefined);
  if (ids.length > 0 && (options.failed || hasFilters)) {
    throw new CliError('usage', 'Specify delivery IDs or --failed with filters, not both');
  }
  if (ids.length === 0 && !options.failed) {
    throw new CliError(
      'usage',
      hasFilters ? 'Filters need --failed' : 'Specify delivery IDs or --failed',
      localHint('See', 'webhooks replay --help'),
    );
  }
}
