import { basename } from 'node:path';
import type { GetOrderOptions, Order, OrderListParams, OrderStatus } from '@tradepost/sdk';
import type { Command } from 'commander';
import { loadConcurrency, loadMany } from '../../bulk/load-many';
import { createClientFor } from '../../client/create-client';
import { listExtended, sendExtended } from '../../client/extensions';
import { isSameService, resolveSettings } from '../../config/settings';
import type { CliContext } from '../../context';
import { CliError } from '../../errors/cli-error';
import { getExitReason } from '../../errors/exit-codes';
import { addHelp } from '../../help/help';
import {
  type GlobalOptions,
  maxPageSize,
  orderExpansions,
  reconnectTimeoutOption,
} from '../../input/options';
import { findJournal } from '../../journal/jobs';
import { type OutcomeDetails, readJournal, type SavedJournal } from '../../journal/journal';
import { formatSummary, notAttempted } from '../../journal/outcomes';
import { getTransitions, type StatusOutcome } from '../../journal/status-change';
import { chooseFormat, describeShape } from '../../output/format';
import { printCommand, printList, printNotice } from '../../output/print';
import { createProgress } from '../../output/progress';
import { formatCount, formatNumber } from '../../output/text';
import { formatRelative } from '../../output/times';
import type { View } from '../../output/view';
import { describeReason } from '../../report/error-report';
import { quoteWord } from '../../report/hint';
import { type NamedOrder, nameFields, placeNames } from '../orders/order-view';
import { outcomeStyles } from '../orders/set-status/outcome-view';

interface Options extends GlobalOptions {
  undo?: true;
  offline?: true;
}

type Names = Pick<NamedOrder, (typeof nameFields)[keyof typeof nameFields]>;

/** An order of a job. */
interface ReportRow extends StatusOutcome, Pick<OutcomeDetails, 'at' | 'quantity'>, Names {
  /** The status that was requested. */
  target: string;
  /** The current status; null if it was not read. */
  now: string | null;
  /** The statuses that may follow; null for a status that the contract does not have. */
  next: readonly string[] | null;
  /** `cancelled` if it moved the order, and that can still be cancelled; null otherwise. */
  undo: OrderStatus | null;
}

const nameList = Object.values(nameFields);

/** Creates the view. What can be undone is of interest only to those who want to undo it. */
function createView(undo: boolean): View<ReportRow> {
  return {
    fields: [
      'id',
      'outcome',
      'from',
      'to',
      'target',
      'at',
      'code',
      'message',
      'requestId',
      'quantity',
      ...nameList,
      'now',
      'next',
      'undo',
    ],
    columns: [
      { title: 'ID', field: 'id' },
      {
        title: 'OUTCOME',
        field: 'outcome',
        style: ({ outcome }) => outcomeStyles[outcome] ?? null,
      },
      ...(undo ? ([{ title: 'UNDO', field: 'undo' }] as const) : []),
      { title: 'QUANTITY', field: 'quantity', align: 'right', whenNarrow: 'leave-out' },
      { title: 'BUYER', field: 'buyerName', whenNarrow: 'shorten' },
      {
        title: 'WHY',
        field: 'message',
        // The row has the ID already.
        text: ({ id, message }) => (message ?? '').replace(`Order ${id}`, 'It'),
        whenNarrow: 'wrap',
      },
      { title: 'FROM', field: 'from', whenNarrow: 'leave-out' },
      { title: 'TO', field: 'to', whenNarrow: 'leave-out' },
      { title: 'LISTING', field: 'listingTitle', whenNarrow: 'leave-out' },
      { title: 'AT', field: 'at', whenNarrow: 'leave-out' },
    ],
  };
}

const reportView = createView(false);

export function configure(command: Command, context: CliContext): void {
  command
    .argument('<job>', '`latest`, the name of a journal as `jobs list` shows it, or its file')
    .option('--undo', 'only orders that it moved, with what can still be done')
    .option('--offline', 'send no request: without names and current statuses')
    .action((name: string) => show(name, command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: reportView.fields,
    Examples: [
      '$ tradepost jobs show latest',
      '$ tradepost jobs show latest --excel > report.csv',
      '$ tradepost jobs show latest --undo --output csv | tradepost orders set-status --stdin --status-column undo --dry-run',
    ],
    Output: [
      `json: an array of ${describeShape(reportView)}`,
      'from, to: the status before and after; from is null if the order could not be read',
      'now: the current status; next: the statuses that may follow',
      'undo: cancelled for an order that it moved and that can still be cancelled, else null',
    ],
    Notes: [
      'It changes nothing. Names and current statuses are requested from the service of the job, if that is the current one and can be reached.',
      'Statuses only move forward: a change cannot be undone. An order that is not completed or cancelled can be cancelled, which is final.',
    ],
  });
}

async function show(name: string, options: Options, context: CliContext): Promise<void> {
  const view = createView(options.undo ?? false);
  // Wrong usage sends nothing.
  await chooseFormat(options, view, context);
  const path = findJournal(name, context);
  const content = readJournal(path);
  const { targets } = content.plan;
  const isShown = (id: string) => !options.undo || content.outcomes.get(id)?.outcome === 'updated';
  const ids = [...targets.keys()].filter(isShown);
  const orders = options.offline ? new Map() : await fetchOrders(content, ids, options, context);
  const all = listRows(content, orders);
  const rows = all.filter(({ id }) => isShown(id));
  async function* pages() {
    yield { data: rows, nextCursor: null };
  }
  await printList(pages(), ['order', 'orders'], view, context, { ...options, all: true });
  const { createdAt, plan } = content;
  const age = createdAt && ` Started ${formatRelative(Date.parse(createdAt), context.now())}.`;
  printNotice(
    context,
    `${basename(path)} at ${plan.baseUrl}: ${formatSummary(plan, all)}.${age ?? ''}`,
  );
  if (!options.undo) return;
  const count = rows.filter(({ undo }) => undo !== null).length;
  printNotice(
    context,
    `Statuses only move forward. Of ${formatCount(rows.length, 'order')} that it moved, ${formatNumber(count)} can be cancelled.`,
  );
  if (count === 0 || context.stdout.isTTY !== true) return;
  printNotice(context, 'To see what that would do, run');
  printCommand(
    context,
    `tradepost jobs show ${quoteWord(basename(path))} --undo --output csv | tradepost orders set-status --stdin --status-column undo --dry-run`,
  );
}

function listRows(
  { plan, outcomes, details, inDoubt }: SavedJournal,
  orders: ReadonlyMap<string, NamedOrder>,
): ReportRow[] {
  return Array.from(plan.targets, ([id, target]) => {
    const outcome = outcomes.get(id) ?? notAttempted(id, inDoubt.has(id));
    const order = orders.get(id);
    const now = order?.status ?? null;
    const next = getTransitions(now ?? outcome.to ?? '');
    const names = nameList.map((field) => [field, order?.[field] ?? null]);
    return {
      ...outcome,
      target,
      now,
      at: details.get(id)?.at ?? null,
      quantity: order?.quantity ?? details.get(id)?.quantity ?? null,
      ...Object.fromEntries(names),
      next,
      undo: outcome.outcome === 'updated' && next?.includes('cancelled') ? 'cancelled' : null,
    };
  });
}

/** The clocks of service and journal may differ by this, in milliseconds. */
const clockToleranceMs = 60_000;

const names = { extension: 'orders.expand', parameters: { expand: orderExpansions } } as const;

/** Pages are read while they are fewer than one for so many orders: others may have changed many more. */
const ordersPerPage = 10;

/**
 * Gets orders of a job from its service: by the page as far as they have changed since, and the rest one by one. A notice
 * says why they are missing.
 */
async function fetchOrders(
  { plan, createdAt }: SavedJournal,
  ids: readonly string[],
  options: Options,
  context: CliContext,
): Promise<Map<string, NamedOrder>> {
  const { signal } = context;
  const found = new Map<string, NamedOrder>();
  const wanted = new Set(ids);
  const progress = createProgress(ids.length, context);
  try {
    const settings = resolveSettings(context, options);
    if (!isSameService(settings.baseUrl, plan.baseUrl)) {
      throw new CliError('usage', `the job is of ${plan.baseUrl}, not of ${settings.baseUrl}`);
    }
    const client = createClientFor(settings, context, options, { concurrency: loadConcurrency });
    let pagesLeft = Math.floor(ids.length / ordersPerPage);
    if (pagesLeft > 0) {
      const since = Date.parse(createdAt ?? '1970-01-01') - clockToleranceMs;
      const isWanted = ({ id }: Order) => wanted.has(id);
      const pages = listExtended<Order, OrderListParams>({
        list: (query) => client.orders.list(query, { signal }),
        query: {},
        extras: [
          {
            extension: 'orders.filters',
            parameters: { updatedAfter: new Date(since).toISOString() },
            isWanted,
          },
          names,
        ],
        limit: maxPageSize,
      });
      for await (const { data } of pages) {
        const own = data.filter(isWanted);
        for (const order of own) found.set(order.id, placeNames(order));
        progress.step('done', own.length);
        pagesLeft -= 1;
        if (found.size === wanted.size || pagesLeft === 0) break;
      }
    }
    progress.end();
    const left = ids.filter((id) => !found.has(id));
    const { loaded, run } = await loadMany(
      left,
      (id, request) =>
        sendExtended<Order, Pick<GetOrderOptions, 'expand'>, typeof names>(
          (expand) => client.orders.get(id, { ...request, ...expand }),
          [names],
        ),
      { reconnectTimeout: reconnectTimeoutOption[3] },
      context,
    );
    for (const [id, { data }] of loaded) found.set(id, placeNames(data));
    if (signal.aborted) throw new CliError('interrupted', 'Interrupted');
    const failure = run.failures.find(({ error }) => getExitReason(error) !== 'notFound');
    if (failure !== undefined) throw failure.error;
  } catch (error) {
    if (signal.aborted) throw error;
    printNotice(context, `Names and current statuses are missing: ${describeReason(error)}`);
  } finally {
    progress.end();
  }
  return found;
}
