import { isTradepostError, type OrderStatus, orderStatuses, type Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { type Connection, createConnection } from '../../../client/connection';
import { createClient } from '../../../client/create-client';
import { runUntilStopped } from '../../../client/follow';
import { isUnsupported } from '../../../config/identity';
import type { CliContext } from '../../../context';
import { Stopped } from '../../../errors/cli-error';
import { addHelp } from '../../../help/help';
import {
  addIds,
  type GlobalOptions,
  integerParser,
  listParser,
  reconnectTimeoutOption,
  timeNote,
  timeParser,
} from '../../../input/options';
import { chooseFormat, describeShape } from '../../../output/format';
import { printNotice, writeData } from '../../../output/print';
import { createProgress } from '../../../output/progress';
import { type OrderChange, orderChangeView } from './change-view';
import { changesFromEvents, changesFromNotifications } from './changes';

interface Options extends GlobalOptions {
  status?: readonly OrderStatus[];
  since?: string;
  poll: number;
  reconnectTimeout: number;
}

/** `tradepost orders watch [id...]` */
export function configure(command: Command, context: CliContext): void {
  addIds(command, 'ord')
    .option(
      '--status <status>',
      `only changes to one of these statuses: ${orderStatuses.join(', ')}`,
      listParser(orderStatuses, 'status'),
    )
    .option('--since <time>', 'start with changes since <time>', timeParser(context))
    .option(
      '--poll <seconds>',
      'poll interval for services without an event log',
      integerParser(1, 3600),
      5,
    )
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
      'With the events of the service (an extension) no change is missed. Without them it polls notifications: `from` is null, and `to` is the status at the time of the poll.',
      timeNote,
    ],
  });
}

async function watch(ids: string[], options: Options, context: CliContext): Promise<void> {
  // An endless list has no closing bracket: each change is a line.
  const output = options.output === 'json' ? 'ndjson' : options.output;
  const format = await chooseFormat({ ...options, output }, orderChangeView, context);
  const client = createClient(context, options);
  const isWanted = ({ orderId, to }: OrderChange) =>
    (ids.length === 0 || ids.includes(orderId)) &&
    (options.status?.some((status) => status === to) ?? true);
  const connection = createConnection(options.reconnectTimeout, context);
  // A line that is there only while the service does not respond.
  const progress = createProgress(null, context);
  connection.onChange(() => progress.hold(connection.describeProblem));
  try {
    // An unknown order would never change.
    for (const id of ids) {
      await connection.send((limits) =>
        client.orders.get(id, { signal: context.signal, ...limits }),
      );
    }
    for await (const change of followChanges(client, connection, options, context)) {
      if (isWanted(change)) await writeData(context.stdout, format.formatItems([change]));
    }
  } finally {
    progress.end();
  }
  throw new Stopped();
}

async function* followChanges(
  client: Tradepost,
  connection: Connection,
  { since: given, poll }: Options,
  context: CliContext,
): AsyncIterable<OrderChange> {
  const since = given ?? null;
  let isWatching = false;
  const onContact = () => {
    if (!isWatching && context.stderr.isTTY) {
      printNotice(context, 'Watching orders. Press Ctrl-C to stop.');
    }
    isWatching = true;
  };
  try {
    yield* changesFromEvents(client, since, { connection, onContact }, context);
  } catch (error) {
    // After a first event, polling would print changes again.
    if (isWatching || !isTradepostError(error) || !isUnsupported(error)) throw error;
    printNotice(context, `This service has no events: polling notifications every ${poll} s.`);
    const onTruncated = (limit: number) =>
      printNotice(
        context,
        `Too many changes at once: only the newest ${limit} are shown. For all, run \`tradepost notifications list --all\`.`,
      );
    const polling = { connection, onContact, onTruncated, intervalMs: poll * 1_000 };
    yield* changesFromNotifications(client, since, polling, context);
  }
}
