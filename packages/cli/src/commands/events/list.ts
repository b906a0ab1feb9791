import type { EventListParams, EventPage, EventType, Page } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { assertObject } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import {
  addPaginationOptions,
  eventsOption,
  type GlobalOptions,
  getPageSize,
  type PaginationOptions,
  timeNote,
  timeParser,
} from '../../input/options';
import { describeShape } from '../../output/format';
import { printList } from '../../output/print';
import { type EventRow, eventView } from './event-view';

interface Options extends GlobalOptions, PaginationOptions {
  since?: string;
  events?: EventType[];
}

/** `tradepost events list` */
export function configure(command: Command, context: CliContext): void {
  command
    .option('--since <time>', 'only events at or after <time>', timeParser(context))
    .option(...eventsOption('only events of these types'));
  addPaginationOptions(command, 'events').action(() =>
    list(command.optsWithGlobals<Options>(), context),
  );
  addHelp(command, {
    fields: eventView.fields,
    Examples: [
      '$ tradepost events list --since 2h',
      '$ tradepost events list --since 2026-11-20 --events order.created --all --output ndjson',
    ],
    Output: [
      `json: an array of ${describeShape(eventView)}`,
      'table: the column ABOUT has the ID of the order or listing',
    ],
    Notes: ['Without --since it starts with the oldest event that the service keeps.', timeNote],
  });
}

async function list(options: Options, context: CliContext): Promise<void> {
  const limit = options.events === undefined ? getPageSize(options) : 100;
  const query: EventListParams = { limit };
  if (options.since !== undefined) query.since = options.since;
  const { events } = createClient(context, options);
  const all = events.list(query, { signal: context.signal }).pages();
  const pages = filterUntilLatest(all, options);
  await printList(pages, ['event', 'events'], eventView, context, options);
}

/**
 * Filters the pages by event type. The service marks no page of events as the last: each is kept until
 * another one arrives.
 */
async function* filterUntilLatest(
  pages: AsyncIterable<EventPage>,
  { events: types }: Options,
): AsyncIterable<Page<EventRow>> {
  let kept: Page<EventRow> | null = null;
  for await (const { data, nextCursor } of pages) {
    const wanted = data.filter((item) => {
      const { event } = assertObject(item);
      return types?.some((type) => type === event) ?? true;
    });
    if (wanted.length === 0) continue;
    if (kept !== null) yield kept;
    kept = { data: wanted, nextCursor };
  }
  yield { data: kept?.data ?? [], nextCursor: null };
}
