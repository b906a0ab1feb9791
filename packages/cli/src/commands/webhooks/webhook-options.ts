import {
  allEventTypes,
  type DeliveryListParams,
  type EventType,
  type StatusClass,
  statusClasses,
} from '@tradepost/sdk';
import type { Command, Option } from 'commander';
import type { CliContext } from '../../context';
import { InvalidArgument } from '../../errors/cli-error';
import { checkPeriod, parseId, timeParser, untilParser } from '../../input/options';

export const urlOption = [
  '--url <url>',
  'https:// endpoint that receives deliveries',
  parseUrl,
] as const;

/** The service decides whether deliveries may go there. */
function parseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgument('Use an absolute https:// URL.');
  }
  return text;
}

export function eventOption(command: Command, description: string): Option {
  return command.createOption('--event <type>', description).choices(allEventTypes);
}

export interface DeliveryFilterOptions {
  webhook?: string;
  event?: EventType;
  since?: string;
  until?: string;
  statusClass?: StatusClass;
}

export function addDeliveryFilter(command: Command, context: CliContext): Command {
  return command
    .option('--webhook <id>', 'only deliveries to this webhook, whk_…', (text) =>
      parseId(text, 'whk'),
    )
    .addOption(eventOption(command, 'only deliveries of this event type'))
    .option('--since <time>', 'only deliveries queued at or after <time>', timeParser(context))
    .option('--until <time>', 'only deliveries queued before <time>', untilParser(context))
    .addOption(
      command
        .createOption(
          '--status-class <class>',
          'only deliveries whose last response has this class',
        )
        .choices(statusClasses),
    );
}

export function toDeliveryQuery(
  filter: DeliveryFilterOptions &
    Pick<DeliveryListParams, 'state' | 'eventId'> & { order?: string },
  limit: number,
): DeliveryListParams {
  checkPeriod(filter.since, filter.until);
  const query: DeliveryListParams = { limit };
  if (filter.webhook !== undefined) query.webhookId = filter.webhook;
  if (filter.event !== undefined) query.event = filter.event;
  if (filter.order !== undefined) query.orderId = filter.order;
  if (filter.eventId !== undefined) query.eventId = filter.eventId;
  if (filter.since !== undefined) query.since = filter.since;
  if (filter.until !== undefined) query.until = filter.until;
  if (filter.statusClass !== undefined) query.statusClass = filter.statusClass;
  if (filter.state !== undefined) query.state = filter.state;
  return query;
}

/**
 * Parses the URL of a receiver. Without a scheme, a local one has http.
 *
 * @throws {InvalidArgument}
 */
export function parseReceiver(text: string): string {
  // `localhost:` would be the scheme.
  const full = /^(localhost|[\d.]+|\[[\d:a-f]+\])(:\d+)?(\/|$)/i.test(text)
    ? `http://${text}`
    : text;
  const url = URL.canParse(full) ? new URL(full) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new InvalidArgument('Use an absolute http:// or https:// URL without a password.');
  }
  return url.href;
}
