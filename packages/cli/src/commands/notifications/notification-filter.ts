import { eventTypes, type Notification } from '@tradepost/sdk';
import type { Command } from 'commander';
import type { CliContext } from '../../context';
import { InvalidArgument } from '../../errors/cli-error';
import { parseId, repeatable, withValues } from '../../input/options';
import { printNotice } from '../../output/print';

export interface NotificationFilterOptions {
  order?: string[];
  type?: string;
}

/** The types that this version knows. The service may add types. */
const listTypes = () => eventTypes.map((type) => type.replace('.', '_'));

/** Adds `--order` and `--type` to a command. */
export function addNotificationFilter(command: Command): Command {
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
    );
}

function parseType(text: string): string {
  if (/^\w+$/.test(text)) return text;
  const example = /^\w+\.\w+$/.test(text) ? text.replace('.', '_') : 'order_status_changed';
  throw new InvalidArgument(`Use letters and _, such as ${example}.`);
}

/** Says that a type may be mistyped: it is no error, since the service may have types that this version does not know. */
export function noteUnknownType({ type }: NotificationFilterOptions, context: CliContext): void {
  const known = listTypes();
  if (type === undefined || known.includes(type)) return;
  printNotice(context, `'${type}' is not a type that this version knows: ${known.join(', ')}.`);
}

/** Whether a notification matches the filters. They need no support by the service. */
export function matchesFilter(
  { orderId, type }: Notification,
  { order, type: wantedType }: NotificationFilterOptions,
): boolean {
  return (
    (order === undefined || order.includes(orderId)) &&
    (wantedType === undefined || type === wantedType)
  );
}
