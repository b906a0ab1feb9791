import type { OrderTimeline, TimelineDelivery, TimelineEntry } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions } from '../../input/options';
import { describeShape } from '../../output/format';
import { printItem, printNotice, printPage } from '../../output/print';
import {
  escapeControlChars,
  formatCount,
  getStyle,
  getTerminalWidth,
  wrap,
} from '../../output/text';
import { chooseTimes, type Times } from '../../output/times';
import type { View } from '../../output/view';
import { formatLastAttempt } from '../webhooks/delivery-view';

const timelineView: View<OrderTimeline> = { fields: ['entries', 'prunedBefore'] };

export function configure(command: Command, context: CliContext): void {
  addId(command, 'ord').action((id: string) =>
    showTimeline(id, command.optsWithGlobals<GlobalOptions>(), context),
  );
  addHelp(command, {
    fields: timelineView.fields,
    Examples: [
      '$ tradepost orders timeline ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
      "$ tradepost orders timeline ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH --jq '.entries[].change | select(.).actor'",
    ],
    Output: [
      `json: ${describeShape(timelineView)}`,
      'entries: { change, event, notification, deliveries }, one for each event, oldest first',
      'change: { from, to, reason, actor }; null if the event reports no change of status',
      'deliveries: those to your webhooks, with their last 10 attempts',
    ],
    Notes: [
      'The notifications and deliveries of other accounts are not visible to this account.',
      'What was sent and what came back: `tradepost webhooks explain` with the ID of a delivery.',
    ],
  });
}

async function showTimeline(
  id: string,
  options: GlobalOptions,
  context: CliContext,
): Promise<void> {
  const load = async () =>
    await createClient(context, options).orders.timeline(id, { signal: context.signal });
  if (options.output !== 'table' || options.fields !== undefined) {
    await printItem(load, timelineView, context, options);
    return;
  }
  const times = chooseTimes(options, context, { hasExactTimes: true });
  const { entries, prunedBefore } = await load();
  const lines = entries.flatMap((entry) => formatEntry(entry, times, context));
  await printPage(lines.map((line) => `${line}\n`).join(''), context, options);
  if (prunedBefore !== null) {
    const since = times?.alone(prunedBefore) ?? prunedBefore;
    printNotice(context, `Events from before ${since} may no longer be stored.`);
  } else if (entries.length === 0) {
    printNotice(context, 'No events found.');
  }
}

/** Formats an event: what changed, and below it what that caused. */
function formatEntry(
  { change, event, notification, deliveries }: TimelineEntry,
  times: Times | null,
  { stdout }: CliContext,
): string[] {
  const width = getTerminalWidth(stdout);
  const style = getStyle(stdout);
  const lines = (text: string, indent: number) =>
    wrap(escapeControlChars(text), width, { indent, hanging: indent + 2 });
  const at = (time: string) => times?.inRow(time) ?? time;
  const actor = change?.actor ? ` by ${change.actor.kind} ${change.actor.accountId}` : '';
  const headline = `${at(event.createdAt)}  ${describeChange(change, event.type)}${actor}`;
  return [
    ...lines(headline, 0).map((line) => style('bold', line)),
    ...(change?.reason ? lines(`reason: ${change.reason}`, 2) : []),
    ...lines(`event ${event.id}`, 2),
    ...(notification
      ? lines(`notification ${notification.id}, ${notification.read ? 'read' : 'unread'}`, 2)
      : []),
    ...deliveries.flatMap((delivery) => [
      ...lines(describeDelivery(delivery, at), 2),
      ...delivery.attempts.flatMap(({ number, startedAt, durationMs, status, error }) => {
        const outcome = formatLastAttempt({ lastStatus: status, lastError: error });
        return lines(`${number}. ${at(startedAt)}  ${outcome}, ${durationMs} ms`, 4);
      }),
    ]),
  ];
}

function describeChange(change: TimelineEntry['change'], type: string): string {
  if (change === null) return type;
  return change.from === null ? `created, ${change.to}` : `${change.from} → ${change.to}`;
}

function describeDelivery(
  { id, webhookId, state, attemptCount, nextAttemptAt }: TimelineDelivery,
  at: (time: string) => string,
): string {
  const next = nextAttemptAt === null ? '' : `, next attempt ${at(nextAttemptAt)}`;
  return `delivery ${id} to ${webhookId}: ${state}, ${formatCount(attemptCount, 'attempt')}${next}`;
}
