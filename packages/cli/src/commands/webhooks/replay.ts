import type { Delivery, Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { finishingNote } from '../../bulk/grace';
import { noFailure } from '../../bulk/outcome';
import { BulkError } from '../../bulk-error';
import { CliError } from '../../cli-error';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { confirm } from '../../input/confirm';
import { idsArgument } from '../../input/id-argument';
import { countParser } from '../../input/parse-count';
import { messageOf } from '../../message-of';
import { chooseFormat } from '../../output/choose-format';
import type { Format } from '../../output/format';
import { isReaderGone } from '../../output/is-reader-gone';
import { note } from '../../output/note';
import { steadyPrinter } from '../../output/steady-printer';
import { writeData } from '../../output/write';
import type { Terminal } from '../../terminal';
import {
  addDeliveryFilter,
  type DeliveryFilterOptions,
  deliveryQuery,
  isAskedFor,
} from '../../webhooks/delivery-filter';
import { parseRate } from '../../webhooks/parse-rate';
import { type ReplayOutcome, replayDeliveries } from '../../webhooks/replay-deliveries';
import { replayOutcomeShape, replayOutcomeView } from './replay-outcome-view';

interface Options extends GlobalOptions, DeliveryFilterOptions {
  failed?: true;
  limit?: number;
  rate: number;
  dryRun?: true;
  yes?: true;
}

/** `tradepost webhooks replay <id...>`, or `--failed` with filters. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idsArgument(command, 'dlv', '[id...]'))
    .option('--failed', 'all failed deliveries that the other options leave over');
  addDeliveryFilter(command, terminal)
    .option('--limit <n>', 'with --failed: the newest so many', countParser(1, 999_999_999))
    .addOption(
      command
        .createOption('--rate <pace>', 'how fast: so many a second or a minute, such as 30/m')
        .argParser(parseRate)
        .default(200, '5/s'),
    )
    .option('--dry-run', 'only show which they are')
    .option('--yes', 'do not ask')
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost webhooks replay dlv_01KAJ8Q0V7T3M5X9R2C4D6F8GD',
          '$ tradepost webhooks replay --failed --since 6h --http 5xx --dry-run',
          '$ tradepost webhooks replay --failed --webhook whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --rate 30/m --yes',
        ],
        Output: [
          `json: an array of ${replayOutcomeShape}`,
          'outcome is done, failed or untried, and would-change with --dry-run.',
          'state is where the delivery stands: pending, once it waits to be sent again.',
        ],
        Notes: [
          'A delivery is sent again with the same bytes and the same webhook-id: a receiver that knows the id takes it once.',
          'With --failed the oldest goes first, and more than one is asked about; without a terminal that needs --yes.',
          'It goes on after a failure. Exit code 7: some are replayed and some failed.',
        ],
      }),
    )
    .action((ids: string[]) => replay(ids, command.optsWithGlobals<Options>(), terminal));
}

async function replay(given: string[], options: Options, terminal: Terminal): Promise<void> {
  checkUsage(given, options);
  const format = await chooseFormat(options, replayOutcomeView, terminal.stdout);
  const client = connect(terminal, options);

  const targets = options.failed
    ? await failedDeliveries(client, options, terminal)
    : Array.from(new Set(given), (id) => ({ id, state: null }));
  if (options.dryRun && options.failed) {
    for (const { id, state } of targets) {
      const outcome: ReplayOutcome = { id, outcome: 'would-change', state, ...noFailure };
      await writeData(terminal.stdout, format.part([outcome]));
    }
    await writeData(terminal.stdout, format.end());
    note(terminal, `${counted(targets.length)} would be replayed. Nothing was done.`);
    return;
  }
  if (targets.length === 0) {
    await writeData(terminal.stdout, format.end());
    note(terminal, 'No failed deliveries found.');
    return;
  }
  if (options.failed && targets.length > 1) {
    await confirm(`Replay ${counted(targets.length)}?`, terminal, { ...options, canDryRun: true });
  }

  await replayAll(
    targets.map(({ id }) => id),
    client,
    { format, interval: options.rate, dryRun: options.dryRun ?? false },
    terminal,
  );
}

/** Replays them all, or looks at each, whatever becomes of printing that, and says how it ended. */
async function replayAll(
  ids: string[],
  client: Tradepost,
  {
    format,
    interval,
    dryRun,
  }: { format: Format<ReplayOutcome>; interval: number; dryRun: boolean },
  terminal: Terminal,
): Promise<void> {
  const { signal } = terminal;
  const printer = steadyPrinter(terminal.stdout);
  const tell = (outcome: ReplayOutcome) => printer.print(() => format.part([outcome]));
  const { done, failures, untried } = await replayDeliveries(client, {
    ids,
    interval,
    dryRun,
    tell,
    signal,
    onFinishing: () => note(terminal, finishingNote),
  });
  for (const id of untried) await tell({ id, outcome: 'untried', state: null, ...noFailure });
  await printer.print(() => format.end());

  const rest = untried.length > 0 ? `, ${untried.length} not tried` : '';
  const verb = dryRun ? 'would' : 'could';
  const summary = `${done} of ${counted(ids.length)} ${verb} be replayed; ${failures.length} failed${rest}`;
  const unprinted = printer.failure();
  const [first] = failures;
  if (unprinted !== null) {
    const what = `${summary}, but not all could be printed: ${messageOf(unprinted)}`;
    if (first === undefined && !signal.aborted && !isReaderGone(unprinted)) {
      throw new CliError('output_failed', what, 'Do not repeat it.');
    }
    note(terminal, `${what}.`);
  }
  if (signal.aborted && untried.length + failures.length > 0)
    throw new CliError('interrupted', `interrupted: ${summary}`);
  if (first === undefined) {
    if (dryRun) note(terminal, `${counted(done)} would be replayed. Nothing was done.`);
    return;
  }
  if (ids.length === 1) throw first.error;
  throw new BulkError(summary, done, failures);
}

/** @throws {CliError} `usage` for ids together with filters, and for neither. */
function checkUsage(ids: string[], options: Options): void {
  const { webhook, event, since, http, limit } = options;
  const filtered = [webhook, event, since, http, limit].some((filter) => filter !== undefined);
  if (ids.length > 0 && (options.failed || filtered)) {
    throw new CliError(
      'usage',
      'ids and filters do not go together',
      'Pass ids alone, or --failed with filters.',
    );
  }
  if (ids.length === 0 && !options.failed) {
    throw new CliError(
      'usage',
      filtered ? 'filters need --failed' : 'there is nothing to replay',
      'Pass the ids of deliveries, or --failed for those that failed.',
    );
  }
}

/** The failed deliveries that are asked for, oldest first. */
async function failedDeliveries(
  { deliveries }: Tradepost,
  { limit = Number.POSITIVE_INFINITY, ...options }: Options,
  { signal }: Terminal,
): Promise<Delivery[]> {
  const query = deliveryQuery({ ...options, state: 'failed' }, 100);
  const found: Delivery[] = [];
  for await (const delivery of deliveries.list(query, { signal })) {
    if (isAskedFor(delivery, query)) found.push(delivery);
    if (found.length >= limit) break;
  }
  return found.reverse();
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'delivery' : 'deliveries'}`;
}
