import type { Summary, SummaryCount } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../client/create-client';
import { findSettings } from '../config/settings';
import type { CliContext } from '../context';
import { addHelp } from '../help/help';
import type { GlobalOptions } from '../input/options';
import { chooseFormat, describeShape } from '../output/format';
import { printItem, writeData } from '../output/print';
import { formatNumber } from '../output/text';
import type { View } from '../output/view';

const summaryView: View<Summary> = { fields: ['asOf', 'orders', 'unread', 'webhooks'] };

/** What people read: one line each. */
type SummaryRow = Record<(typeof rowFields)[number], string>;

const rowFields = [
  'pending',
  'confirmed',
  'fulfilling',
  'completed',
  'cancelled',
  'unread',
  'webhooks',
  'asOf',
] as const;
const rowView: View<SummaryRow> = { fields: rowFields };

export function configure(command: Command, context: CliContext): void {
  command.action(async () => {
    const options = command.optsWithGlobals<GlobalOptions>();
    const load = async () =>
      await createClient(context, options).summary.get({ signal: context.signal });
    if (options.output !== 'table' || options.fields !== undefined) {
      await printItem(load, summaryView, context, options);
      return;
    }
    await printRow(await load(), options, context);
  });
  addHelp(command, {
    fields: summaryView.fields,
    Examples: [
      '$ tradepost summary',
      '$ tradepost summary --output json | jq .orders.pending.count',
    ],
    Output: [
      `json: ${describeShape(summaryView)}`,
      'orders: { pending, confirmed, fulfilling, completed, cancelled }, each { count, atLeast }',
      'webhooks: { active, paused, disabled, backoff }; each counts once',
    ],
    Notes: [
      'Nothing is counted beyond 1,000: then atLeast is true, and a table shows 1,000+.',
      'The service counts at most every 5 seconds. asOf is when it did.',
      'On a terminal, `tradepost` alone prints the same once you are logged in.',
    ],
  });
}

/** How long `tradepost` alone waits for the summary, in milliseconds. */
const patienceMs = 2_000;

/**
 * Prints the summary for a person who types `tradepost` and nothing else.
 *
 * @returns whether it did: not without a login, and not if the service does not have summaries or does not respond soon
 * @throws {TradepostError} `aborted` after Ctrl-C
 */
export async function printSummaryIfPossible(context: CliContext): Promise<boolean> {
  const options: GlobalOptions = { output: 'table' };
  const late = new AbortController();
  const ended = new AbortController();
  try {
    const { baseUrl, apiKey } = findSettings(context, options);
    if (baseUrl === null || apiKey === null) return false;
    void context.wait(patienceMs, ended.signal).then(() => late.abort());
    const signal = AbortSignal.any([context.signal, late.signal]);
    const summary = await createClient(context, options).summary.get({ signal, maxRetries: 0 });
    await printRow(summary, options, context);
    return true;
  } catch (error) {
    if (context.signal.aborted) throw error;
    return false;
  } finally {
    ended.abort();
  }
}

async function printRow(
  summary: Summary,
  options: GlobalOptions,
  context: CliContext,
): Promise<void> {
  const format = await chooseFormat(options, rowView, context);
  await writeData(context.stdout, format.formatItem(toRow(summary, context)));
}

function toRow({ asOf, orders, unread, webhooks }: Summary, { stdout }: CliContext): SummaryRow {
  const toText = (count: number) => (stdout.isTTY === true ? formatNumber(count) : String(count));
  const format = ({ count, atLeast }: SummaryCount) => `${toText(count)}${atLeast ? '+' : ''}`;
  const { active, paused, disabled, backoff } = webhooks;
  return {
    pending: format(orders.pending),
    confirmed: format(orders.confirmed),
    fulfilling: format(orders.fulfilling),
    completed: format(orders.completed),
    cancelled: format(orders.cancelled),
    unread: format(unread),
    webhooks: `${active} active, ${paused} paused, ${disabled} disabled, ${backoff} in backoff`,
    asOf,
  };
}
