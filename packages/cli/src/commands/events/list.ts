import type { EventKind, EventsPage, ListEvents, Page } from '@tradepost/sdk';
import type { Command } from 'commander';
import { checkRecord } from '../../check-record';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { momentOption } from '../../input/moment';
import { addLimitOptions, type ListLimitOptions, limitsOf } from '../../list-limit';
import { showList } from '../../output/show-list';
import type { Terminal } from '../../terminal';
import { eventsOption } from '../../webhooks/webhook-options';
import { type EventRow, eventShape, eventView } from './event-view';

interface Options extends GlobalOptions, ListLimitOptions {
  since?: string;
  events?: EventKind[];
}

/** `tradepost events list`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addOption(
      momentOption(
        command,
        terminal,
        '--since <moment>',
        'only events since then: 6h, 2d, 2026-11-20, or ISO 8601',
      ),
    )
    .addOption(eventsOption(command, 'only events of these kinds'));
  addLimitOptions(command, 'events')
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost events list --since 2h',
          '$ tradepost events list --since 2026-11-20 --events order.created --all --output ndjson',
        ],
        Output: [`json: an array of ${eventShape}`, 'ABOUT is the order or the listing.'],
        Notes: ['Without --since it begins with the oldest event that the service keeps.'],
      }),
    )
    .action(() => list(command.optsWithGlobals<Options>(), terminal));
}

async function list(options: Options, terminal: Terminal): Promise<void> {
  const { limit, pageSize } = limitsOf(options);
  const query: ListEvents = { limit: options.events === undefined ? pageSize : 100 };
  if (options.since !== undefined) query.since = options.since;
  const { events } = connect(terminal, options);
  const pages = events.list(query, { signal: terminal.signal }).pages();
  await showList(
    { pages: endingPages(pages, options), limit, noun: 'events' },
    eventView,
    terminal,
    options,
  );
}

/**
 * The pages that have events of these kinds. The service never calls a page of events the last, so each
 * is held back until it is known whether there is another.
 */
async function* endingPages(
  pages: AsyncIterable<EventsPage>,
  { events: kinds }: Options,
): AsyncIterable<Page<EventRow>> {
  let held: Page<EventRow> | null = null;
  for await (const { data, nextCursor } of pages) {
    const wanted = data.filter((item) => {
      const { event } = checkRecord(item);
      return kinds?.some((kind) => kind === event) ?? true;
    });
    if (wanted.length === 0) continue;
    if (held !== null) yield held;
    held = { data: wanted, nextCursor };
  }
  yield { data: held?.data ?? [], nextCursor: null };
}
