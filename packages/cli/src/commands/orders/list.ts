import { type ListOrders, type Order, type OrderStatus, orderStatuses } from '@tradepost/sdk';
import type { Command } from 'commander';
import { CliError } from '../../cli-error';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { momentOption } from '../../input/moment';
import { addLimitOptions, type ListLimitOptions, limitsOf } from '../../list-limit';
import { filterPages } from '../../output/filter-pages';
import { showList } from '../../output/show-list';
import type { Terminal } from '../../terminal';
import { orderShape, orderView } from './order-view';

interface Options extends GlobalOptions, ListLimitOptions {
  status?: OrderStatus;
  since?: string;
  until?: string;
}

/** `tradepost orders list`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addOption(
      command
        .createOption('--status <status>', 'only orders in this status')
        .choices(orderStatuses),
    )
    .addOption(
      momentOption(
        command,
        terminal,
        '--since <when>',
        'only orders placed since: 2d, 2026-11-20 or a moment',
      ),
    )
    .addOption(momentOption(command, terminal, '--until <when>', 'only orders placed before'));
  addLimitOptions(command, 'orders')
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost orders list --status pending',
          '$ tradepost orders list --since 2d --fields id,status,createdAt',
          '$ tradepost orders list --all --output csv > orders.csv',
          "$ tradepost orders list --status pending --jq '[.[].quantity] | add'",
        ],
        Output: [
          `json: an array of ${orderShape}`,
          'On a narrow terminal a table leaves columns out, from the right.',
        ],
        Notes: [
          'A time is how long ago (45s, 30m, 6h, 2d, 1w), the start of a day in UTC, or an ISO 8601 moment with its zone.',
          '--since includes its moment, --until does not.',
        ],
      }),
    )
    .action(() => list(command.optsWithGlobals<Options>(), terminal));
}

async function list(options: Options, terminal: Terminal): Promise<void> {
  const { limit, pageSize } = limitsOf(options);
  const { status, since, until } = options;
  if (since !== undefined && until !== undefined && Date.parse(since) > Date.parse(until)) {
    throw new CliError(
      'usage',
      `--since (${since}) is later than --until (${until})`,
      'Name the earlier moment with --since, and the later one with --until.',
    );
  }
  const query: ListOrders = { limit: pageSize };
  if (status !== undefined) query.status = status;
  // The service's own bound leaves its moment out.
  if (since !== undefined) query.createdAfter = new Date(Date.parse(since) - 1).toISOString();
  if (until !== undefined) query.createdBefore = until;
  const { orders } = connect(terminal, options);
  const pages = orders.list(query, { signal: terminal.signal }).pages();
  const isMeant = ({ createdAt }: Order) =>
    (since === undefined || Date.parse(createdAt) >= Date.parse(since)) &&
    (until === undefined || Date.parse(createdAt) < Date.parse(until));
  await showList(
    { pages: since || until ? filterPages(pages, isMeant) : pages, limit, noun: 'orders' },
    orderView,
    terminal,
    options,
  );
}
