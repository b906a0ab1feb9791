import {
  type DeliveryStats,
  type DeliveryStatsPoint,
  type StatsWindow,
  statsWindows,
  statusClasses,
  type WebhookStats,
} from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions } from '../../input/options';
import { chooseFormat, describeShape } from '../../output/format';
import { printItem, writeData } from '../../output/print';
import { formatNumber, getTerminalWidth } from '../../output/text';
import type { View } from '../../output/view';
import { computeSuccessRate, formatRate } from './listed-stats';

interface Options extends GlobalOptions {
  window: StatsWindow;
}

export function configure(command: Command, context: CliContext): void {
  addId(command, 'whk')
    .addOption(
      command
        .createOption('--window <window>', 'how far back')
        .choices(statsWindows)
        .default('24h' satisfies StatsWindow),
    )
    .action((id: string) => showStats(id, command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: pointView.fields,
    Examples: [
      '$ tradepost webhooks stats whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW',
      '$ tradepost webhooks stats whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --window 7d --output csv > week.csv',
    ],
    Output: [
      `json: ${describeShape(statsView)}, with a point for each minute, quarter of an hour or hour`,
      'csv: a row for each of them',
      'table: the totals, and a bar for each of them or for a few',
    ],
    Notes: [
      'Deliveries count when they are delivered or fail, attempts when they start. Test events and replays count.',
      'Latencies are those of attempts with a response. The percentiles p50 and p95 are estimates.',
    ],
  });
}

async function showStats(id: string, options: Options, context: CliContext): Promise<void> {
  const load = () => {
    const { webhooks } = createClient(context, options);
    return webhooks.stats(id, { window: options.window }, { signal: context.signal });
  };
  if (options.output === 'csv') {
    const format = await chooseFormat(options, pointView, context);
    const { points } = await load();
    await writeData(context.stdout, format.formatItems(points.map(toRow)));
    await writeData(context.stdout, format.end());
  } else if (options.output === 'table') {
    const width = Math.min(getTerminalWidth(context.stdout), mostBars + reserved);
    const summarize = async () => toSummary(await load(), width - reserved);
    await printItem(summarize, summaryView, context, options);
  } else {
    await printItem(load, statsView, context, options);
  }
}

const statsView: View<WebhookStats> = {
  fields: ['webhookId', 'since', 'until', 'bucketSeconds', 'points', 'totals'],
};

const pointView: View<ReturnType<typeof toRow>> = {
  fields: ['start', 'delivered', 'failed', ...statusClasses, 'mean', 'p50', 'p95'],
};

function toRow({ start, delivered, failed, attempts, latencyMs }: DeliveryStatsPoint) {
  const { mean = null, p50 = null, p95 = null } = latencyMs ?? {};
  return { start, delivered, failed, ...attempts, mean, p50, p95 };
}

const summaryView: View<ReturnType<typeof toSummary>> = {
  fields: ['webhookId', 'since', 'until', 'delivered', 'failed', 'success', 'attempts', 'latency'],
};

/** @param bars how many bars there is room for */
function toSummary({ webhookId, since, until, points, totals }: WebhookStats, bars: number) {
  const count = (of: 'delivered' | 'failed') => {
    const total = formatNumber(totals[of]);
    return `${drawBars(
      points.map((point) => point[of]),
      bars,
    )} ${total}`;
  };
  return {
    webhookId,
    since,
    until,
    delivered: count('delivered'),
    failed: count('failed'),
    success: formatRate(computeSuccessRate(totals)),
    attempts: formatAttempts(totals),
    latency: formatLatency(totals),
  };
}

/** The most bars of a line, and the cells of the other texts beside them: the name of the field and the number. */
const mostBars = 60;
const reserved = 24;

const levels = '▁▂▃▄▅▆▇█';

/** Draws numbers as bars, the largest one at full height. Only zeros have the lowest. Neighbours share a bar if there are too many. */
export function drawBars(numbers: readonly number[], most: number): string {
  const size = Math.ceil(numbers.length / Math.max(1, most));
  const sums: number[] = [];
  for (const [index, number] of numbers.entries()) {
    const bar = Math.floor(index / size);
    sums[bar] = (sums[bar] ?? 0) + number;
  }
  const largest = Math.max(1, ...sums);
  const highest = levels.length - 1;
  return sums.map((sum) => levels[Math.ceil((sum / largest) * highest)]).join('');
}

function formatAttempts({ attempts }: DeliveryStats): string {
  const counted = statusClasses.filter((one) => attempts[one] > 0);
  return counted.map((one) => `${one} ${formatNumber(attempts[one])}`).join(', ') || '-';
}

function formatLatency({ latencyMs }: DeliveryStats): string {
  if (latencyMs === null) return '-';
  const { mean, p50, p95 } = latencyMs;
  return `p50 ${formatNumber(p50)} ms, p95 ${formatNumber(p95)} ms, mean ${formatNumber(mean)} ms`;
}
