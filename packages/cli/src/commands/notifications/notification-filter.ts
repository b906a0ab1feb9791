import { allEventTypes, type Notification } from '@tradepost/sdk';
import type { Command } from 'commander';
import type { CliContext } from '../../context';
import { InvalidArgument } from '../../errors/cli-error';
import {
  checkPeriod,
  parseId,
  repeatable,
  timeParser,
  untilParser,
  withValues,
} from '../../input/options';
import { printNotice } from '../../output/print';

export interface NotificationFilterOptions {
  order?: string[];
  type?: string;
  since?: string;
  until?: string;
}

/** The types that this version knows. The service may add types. */
const listTypes = () => allEventTypes.map((type) => type.replace('.', '_'));

export function addNotificationFilter(command: Command, context: CliContext): Command {
  const addOrder = repeatable((id: string, before: string[] = []) => [
    ...before,
    parseId(id, 'ord'),
  ]);
  return command
    .option('--order <id...>', 'only notifications about these orders, ord_…', addOrder)
    .option(
      '--type <type>',
      'only notifications of this type, such as order_status_changed',
      withValues(parseType, listTypes),
    )
    .option('--since <time>', 'only notifications from <time> or later', timeParser(context))
    .option('--until <time>', 'only notifications from before <time>', untilParser(context));
}

function parseType(text: string): string {
  if (/^\w+$/.test(text)) return text;
  const example = /^\w+\.\w+$/.test(text) ? text.replace('.', '_') : 'order_status_changed';
  throw new InvalidArgument(`Use letters and _, such as ${example}.`);
}

/**
 * Checks the filters. That a type may be mistyped is a notice, since the service may have types that this version does
 * not know.
 *
 * @throws {CliError} `usage` for swapped times
 */
export function checkFilter(
  { type, since, until }: NotificationFilterOptions,
  context: CliContext,
): void {
  checkPeriod(since, until);
  const known = listTypes();
  if (type === undefined || known.includes(type)) return;
  printNotice(context, `'${type}' is not a type that this version knows: ${known.join(', ')}.`);
}

export function hasFilter({ order, type, since, until }: NotificationFilterOptions): boolean {
  return [order, type, since, until].some((filter) => filter !== undefined);
}

/** Whether a notification matches the filters. They need no support by the service. */
export function matchesFilter(
  { orderId, type, createdAt }: Notification,
  { order, type: wantedType, since, until }: NotificationFilterOptions,
): boolean {
  const time = Date.parse(createdAt);
  return (
    (order === undefined || order.includes(orderId)) &&
    (wantedType === undefined || type === wantedType) &&
    (since === undefined || time >= Date.parse(since)) &&
    (until === undefined || time < Date.parse(until))
  );
}
