import { type OrderStatus, orderStatuses } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../../client/create-client';
import { createConnection, runUntilStopped } from '../../../client/follow';
import type { CliContext } from '../../../context';
import { Stopped } from '../../../errors/cli-error';
import { addHelp } from '../../../help/help';
import {
  addIds,
  type GlobalOptions,
  listParser,
  reconnectTimeoutOption,
  timeNote,
  timeParser,
} from '../../../input/options';
import { chooseFormat, describeShape } from '../../../output/format';
import { printNotice, writeData } from '../../../output/print';
import { createProgress } from '../../../output/progress';
import { orderChangeView, toChange } from './change-view';

interface Options extends GlobalOptions {
  status?: readonly OrderStatus[];
  since?: string;
  reconnectTimeout: number;
}

export function configure(command: Command, context: CliContext): void {
  addIds(command, 'ord')
    .option(
      '--status <status>',
      `only changes to one of these statuses: ${orderStatuses.join(', ')}`,
      listParser(orderStatuses, 'status'),
    )
    .option('--since <time>', 'start with changes since <time>', timeParser(context))
    .option(...reconnectTimeoutOption)
    .action((ids: string[]) =>
      runUntilStopped(() => watch(ids, command.optsWithGlobals<Options>(), context), context),
    );
  addHelp(command, {
    fields: orderChangeView.fields,
    Examples: [
      '$ tradepost orders watch',
      '$ tradepost orders watch --since 1h --status completed,cancelled',
      '$ tradepost orders watch --output ndjson | while read -r change; do echo "$change"; done',
    ],
    Output: [`json, ndjson: ${describeShape(orderChangeView)}, one per line`],
    Notes: [
      'It runs until Ctrl-C (exit code 130), or until the service is unreachable for too long (9).',
      'It needs the events of the service (an extension), so that no change is missed.',
      timeNote,
    ],
  });
}

async function watch(ids: string[], options: Options, context: CliContext): Promise<void> {
  // An endless list has no closing bracket: each change is a line.
  const output = options.output === 'json' ? 'ndjson' : options.output;
  const format = await chooseFormat({ ...options, output }, orderChangeView, context);
  const { since } = options;
  const { signal, stdout, stderr } = context;
  const client = createClient(context, options);
  const connection = createConnection(client, options.reconnectTimeout, context);
  // A line that is there only while the service does not respond.
  const progress = createProgress(null, context);
  const onChange = () => progress.hold(connection.describeProblem);
  try {
    // An unknown order would never change.
    for (const id of ids) await client.orders.get(id, { signal });
    let isWatching = false;
    onChange();
    const from = since === undefined ? ({ from: 'now' } as const) : { since };
    for await (const { data } of connection.pages(from, onChange)) {
      if (!isWatching && stderr.isTTY) {
        printNotice(context, 'Watching orders. Press Ctrl-C to stop.');
      }
      isWatching = true;
      for (const event of data) {
        const change = toChange(event);
        if (change === null || (ids.length > 0 && !ids.includes(change.orderId))) continue;
        if (!(options.status?.some((status) => status === change.to) ?? true)) continue;
        await writeData(stdout, format.formatItems([change]));
      }
    }
  } finally {
    progress.end();
  }
  throw new Stopped();
}
