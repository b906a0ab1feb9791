import type { Command } from 'commander';
import { loadConcurrency, loadMany } from '../../../bulk/load-many';
import { toBulkFailure } from '../../../bulk/run-bulk';
import { createClient } from '../../../client/create-client';
import type { CliContext } from '../../../context';
import { CliError, localHint } from '../../../errors/cli-error';
import { addHelp } from '../../../help/help';
import { addIds, type GlobalOptions, reconnectTimeoutOption } from '../../../input/options';
import { addInputOptions, type InputOptions, inputNote, readRows } from '../../../input/read-input';
import { chooseFormat, describeShape, isForPerson } from '../../../output/format';
import { printNotice, writeData } from '../../../output/print';
import type { Format, View } from '../../../output/view';
import { deliveryView } from '../../webhooks/delivery-view';
import {
  addNamesOption,
  chooseNames,
  namedOrderView,
  namesNote,
  orderView,
  toNamesOption,
} from '../order-view';
import {
  type LoadedOrder,
  type LoadRequest,
  loadOrder,
  type OrderRecord,
  type Wanted,
} from './load-order';
import { fetchHistoryIfPossible, historyView, toHistoryRow } from './order-history';

interface Options extends GlobalOptions, InputOptions {
  names?: boolean;
  history?: boolean;
  deliveries?: true;
  reconnectTimeout: number;
  /** Whether it waits for a service that is away, because a timeout was given. */
  waitsForService: boolean;
}

const recordFields = [...namedOrderView.fields, 'history', 'deliveries'] as const;

export function configure(command: Command, context: CliContext): void {
  addInputOptions(addIds(command, 'ord'), 'ord')
    .option('--history', 'show its events; for one order on a terminal by default')
    .option('--no-history', 'do not show its events')
    .option('--deliveries', 'show the deliveries to your webhooks about it');
  addNamesOption(command)
    .option(...reconnectTimeoutOption)
    .action((ids: string[]) => {
      const waitsForService = command.getOptionValueSource('reconnectTimeout') === 'cli';
      return get(ids, { ...command.optsWithGlobals<Options>(), waitsForService }, context);
    });
  addHelp(command, {
    fields: recordFields,
    Examples: [
      '$ tradepost orders get ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
      '$ tradepost orders get ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH --history --output json',
      '$ tradepost orders get ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH --output json | jq -r .status',
      '$ tradepost orders get --file orders.csv --names --output csv',
    ],
    Output: [
      `json, one ID: ${describeShape(orderView)}`,
      'json, several IDs, --stdin, --file: an array of such orders',
      'json, with --names: buyerName, sellerName, agentName and listingTitle too',
      'json, with --history: history too, an array of { id, event, createdAt, actor, data }',
      `json, with --deliveries: deliveries too, an array of ${describeShape(deliveryView)}`,
    ],
    Notes: [
      'The history has the events that the service still stores, with the reasons of changes.',
      otherDeliveriesNote,
      namesNote,
      inputNote,
      'With several IDs, and with --reconnect-timeout, it waits for a service that is unreachable.',
      'With several IDs it continues after a failure. Exit code 7: some orders were found and some were not.',
    ],
  });
}

async function get(args: readonly string[], options: Options, context: CliContext): Promise<void> {
  const rows = await readRows(args, options, 'ord', context);
  const ids = rows?.map(({ id }) => id) ?? [...new Set(args)];
  const [first = ''] = ids;
  if (rows === null && first === '') {
    throw new CliError('usage', 'Missing order ID', localHint('See', 'orders get --help'));
  }
  // An ID that is given twice is a list, as two are.
  const isSingle = rows === null && args.length === 1;
  const history = chooseHistory(options, isSingle, context);
  const names = toNamesOption(chooseNames(options, context), options);
  const historyOption = options.history ? '--history' : 'history in --fields';
  const deliveries = chooseDeliveries(options);
  const wanted = { names, history: history === 'always' ? historyOption : null, deliveries };
  const print = await createPrinter(wanted, options, context);
  const { waitsForService } = options;
  const client = createClient(context, options, isSingle ? {} : { concurrency: loadConcurrency });
  const load = (id: string, request: LoadRequest) => loadOrder(client, id, wanted, request);
  const { found, error } =
    isSingle && !waitsForService
      ? { found: [await load(first, { signal: context.signal })], error: null }
      : await getMany(ids, load, options, context);
  // As with a list that cannot be fetched, nothing is printed if nothing was found.
  if (found.length > 0 || first === '') {
    const records = found.map(({ order }) => order);
    await print(
      async (format) =>
        isSingle
          ? (await Promise.all(records.map((record) => format.formatItem(record)))).join('')
          : `${await format.formatItems(records)}${await format.end()}`,
      records,
    );
  }
  if (history === 'if-possible' && error === null && found[0]?.extensions.includes('events')) {
    // The order is on the screen meanwhile.
    const events = await fetchHistoryIfPossible(client.events, first, context);
    const past = (events ?? []).map(toHistoryRow);
    await writeData(context.stdout, await formatTable(past, historyView, options, context));
  }
  if (deliveries !== null && options.output === 'table') {
    const hasSome = found.some(({ order }) => (order.deliveries ?? []).length > 0);
    const none = hasSome ? '' : 'No deliveries to the webhooks of this account found. ';
    printNotice(context, `${none}${otherDeliveriesNote}`);
  }
  if (error !== null) throw error;
}

async function getMany(
  ids: readonly string[],
  load: (id: string, request: LoadRequest) => Promise<LoadedOrder>,
  // A person who gives a time expects the service to come back, whether it was reachable or not.
  { reconnectTimeout, waitsForService: hadContact }: Options,
  context: CliContext,
): Promise<{ found: readonly LoadedOrder[]; error: unknown }> {
  const { loaded, run } = await loadMany(ids, load, { reconnectTimeout, hadContact }, context);
  const found = ids.flatMap((id) => loaded.get(id) ?? []);
  const error = toBulkFailure('Got', ['order', 'orders'], ids, found.length, run, context);
  return { found, error };
}

/** Whether a buyer, a seller or an agent was told is known only to the account that owns the webhook. */
const otherDeliveriesNote =
  'Deliveries to the webhooks of other accounts are not visible to this account.';

function chooseDeliveries({ deliveries, fields }: Options): string | null {
  if (deliveries) return '--deliveries';
  return selectsField(fields, 'deliveries') ? 'deliveries in --fields' : null;
}

function selectsField(fields: string | undefined, name: string): boolean {
  return fields?.split(',').some((field) => field.trim() === name) ?? false;
}

function chooseHistory(
  options: Options,
  isSingle: boolean,
  context: CliContext,
): 'always' | 'if-possible' | 'never' {
  if (options.history ?? selectsField(options.fields, 'history')) return 'always';
  const isDefault = options.history === undefined && isSingle && isForPerson(options, context);
  return isDefault ? 'if-possible' : 'never';
}

/** Prints orders: for people with a table of its history below each, otherwise as one document. */
async function createPrinter(
  { names, history, deliveries = null }: Wanted,
  options: Options,
  context: CliContext,
) {
  const { output, fields, jq } = options;
  const isTable = output === 'table' && fields === undefined && jq === undefined;
  const base = names === null ? orderView : namedOrderView;
  const view: View<OrderRecord> =
    fields !== undefined
      ? { ...namedOrderView, fields: recordFields }
      : {
          ...base,
          fields: [
            ...base.fields,
            ...(history !== null ? (['history'] as const) : []),
            ...(deliveries !== null ? (['deliveries'] as const) : []),
          ],
        };
  const format = await chooseFormat(options, view, context);
  return async (
    formatAll: (format: Format<OrderRecord>) => string | Promise<string>,
    records: readonly OrderRecord[],
  ): Promise<void> => {
    if (!isTable || (history === null && deliveries === null)) {
      return await writeData(context.stdout, await formatAll(format));
    }
    for (const [index, record] of records.entries()) {
      const { history: events = [], deliveries: sent = [], ...order } = record;
      const text = await format.formatItem(order);
      const tables = [
        await formatTable(events.map(toHistoryRow), historyView, options, context),
        await formatTable(sent, deliveryView, options, context),
      ].join('');
      await writeData(context.stdout, `${index > 0 ? '\n' : ''}${text}${tables}`);
    }
  };
}

async function formatTable<Item extends object>(
  items: readonly Item[],
  view: View<Item>,
  { fields: _, jq: __, ...options }: Options,
  context: CliContext,
): Promise<string> {
  const table = await chooseFormat(options, view, context);
  const rows = await table.formatItems(items);
  return rows === '' ? '' : `\n${rows}`;
}
