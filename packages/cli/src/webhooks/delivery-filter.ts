import {
  type Delivery,
  type EventKind,
  type HttpClass,
  httpClasses,
  type ListDeliveries,
} from '@tradepost/sdk';
import type { Command } from 'commander';
import { checkRecord } from '../check-record';
import { checkId } from '../input/id-argument';
import { momentOption } from '../input/moment';
import type { Terminal } from '../terminal';
import { eventOption } from './webhook-options';

/** Which deliveries a command is about. */
export interface DeliveryFilterOptions {
  /** Those to this webhook, `whk_<id>`. */
  webhook?: string;
  /** Those of events of this kind. */
  event?: EventKind;
  /** Those that were queued at this moment or after it, ISO 8601. */
  since?: string;
  /** Those whose last answer is of this class. */
  http?: HttpClass;
}

/** Gives a command `--webhook`, `--event`, `--since` and `--http`. */
export function addDeliveryFilter(command: Command, terminal: Terminal): Command {
  return command
    .addOption(
      command
        .createOption('--webhook <id>', 'only deliveries to this webhook, whk_…')
        .argParser((text: string) => checkId(text, 'whk')),
    )
    .addOption(eventOption(command, 'only deliveries of events of this kind'))
    .addOption(
      momentOption(
        command,
        terminal,
        '--since <moment>',
        'only deliveries queued since then: 6h, 2d, 2026-11-20, or ISO 8601',
      ),
    )
    .addOption(
      command
        .createOption('--http <class>', 'only deliveries whose last answer is of this class')
        .choices(httpClasses),
    );
}

/** The query that asks the service for such deliveries. */
export function deliveryQuery(
  filter: DeliveryFilterOptions & Pick<ListDeliveries, 'state'>,
  limit: number,
): ListDeliveries {
  const query: ListDeliveries = { limit };
  if (filter.webhook !== undefined) query.webhookId = filter.webhook;
  if (filter.event !== undefined) query.event = filter.event;
  if (filter.since !== undefined) query.since = filter.since;
  if (filter.http !== undefined) query.http = filter.http;
  if (filter.state !== undefined) query.state = filter.state;
  return query;
}

/**
 * Whether a delivery is what a query asks for. What is to be changed is not left to a service that may
 * know fewer filters.
 */
export function isAskedFor(delivery: Delivery, query: ListDeliveries): boolean {
  const { webhookId, event, since, http, state } = query;
  const { lastStatus } = checkRecord(delivery);
  const httpClass = lastStatus === null ? 'none' : `${Math.floor(lastStatus / 100)}xx`;
  return (
    (webhookId === undefined || delivery.webhookId === webhookId) &&
    (event === undefined || delivery.event === event) &&
    (since === undefined || Date.parse(delivery.createdAt) >= Date.parse(since)) &&
    (http === undefined || httpClass === http) &&
    (state === undefined || delivery.state === state)
  );
}
