import { allEventTypes, type EventType, type LatestEventsParams } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import {
  addPaginationOptions,
  checkPeriod,
  type GlobalOptions,
  getPageSize,
  type PaginationOptions,
  parseId,
  timeNote,
  timeParser,
  untilParser,
} from '../../input/options';
import { describeShape } from '../../output/format';
import { printList } from '../../output/print';
import type { ListPage } from '../../output/view';
import { type EventRow, eventView } from './event-view';

interface Options extends GlobalOptions, PaginationOptions {
  order?: string;
  type?: EventType;
  since?: string;
  until?: string;
}

export function configure(command: Command, context: CliContext): void {
  const type = command.createOption('--type <type>', 'only events of this type');
  command
    .option('--order <id>', 'only events of this order, ord_…', (text) => parseId(text, 'ord'))
    .addOption(type.choices(allEventTypes))
    .option('--since <time>', 'only events at or after <time>', timeParser(context))
    .option('--until <time>', 'only events before <time>', untilParser(context));
  addPaginationOptions(command, 'events').action(async () => {
    const options = command.optsWithGlobals<Options>();
    const pages = listEvents(options, context);
    await printList(pages, ['event', 'events'], eventView, context, options);
  });
  addHelp(command, {
    fields: eventView.fields,
    Examples: [
      '$ tradepost events list --order ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
      '$ tradepost events list --since 2026-11-20 --type order.created --all --output ndjson',
    ],
    Output: [
      `json: an array of ${describeShape(eventView)}`,
      'table: the column ABOUT has the ID of the order, listing or webhook',
    ],
    Notes: [timeNote],
  });
}

async function* listEvents(
  options: Options,
  context: CliContext,
): AsyncIterable<ListPage<EventRow>> {
  const { order, type, since, until } = options;
  checkPeriod(since, until);
  const query: LatestEventsParams = {
    limit: getPageSize(options),
    ...(order !== undefined && { orderId: order }),
    ...(type !== undefined && { type }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
  const { events } = createClient(context, options);
  for await (const page of events.latest(query, { signal: context.signal }).pages()) {
    yield { ...page, isFiltered: type !== undefined };
  }
}
