import type { Tradepost, WebhookDetails, WebhookListParams } from '@tradepost/sdk';
import { explainWebhook } from '@tradepost/sdk/explain';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import { listExtended } from '../../client/extensions';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import {
  addPaginationOptions,
  type GlobalOptions,
  getPageSize,
  type PaginationOptions,
} from '../../input/options';
import { describeShape } from '../../output/format';
import { printList } from '../../output/print';
import { getTerminalWidth, type StyleName } from '../../output/text';
import { chooseTimes, formatTimes } from '../../output/times';
import type { ListPage, View } from '../../output/view';
import {
  findStatsOption,
  type ListedWebhook,
  placeStats,
  statsColumns,
  statsFields,
} from './listed-stats';
import { webhookView } from './webhook-view';

export function configure(command: Command, context: CliContext): void {
  command.option('--stats', 'show how deliveries of the last 24 hours fared');
  addPaginationOptions(command, 'webhooks').action(() =>
    list(command.optsWithGlobals<Options>(), context),
  );
  addHelp(command, {
    fields: viewFields,
    Examples: [
      '$ tradepost webhooks list',
      '$ tradepost webhooks list --stats',
      "$ tradepost webhooks list --all --jq '.[] | select(.consecutiveFailures > 0) | .id'",
    ],
    Output: [
      `json: an array of ${describeShape(webhookView)}`,
      `json, with --stats: ${statsFields.join(', ')} too; successRate from 0 to 1, p95 in milliseconds`,
      'table, STATUS: healthy, failing, backoff, disabled, paused; active if nothing was sent yet',
      'table, LAST: how the last attempt ended, and for how long attempts have failed',
    ],
    Notes: [
      '`tradepost webhooks explain` says why an endpoint fails.',
      'Statistics are an extension of the API, and --stats is an error where a service does not have it. `tradepost webhooks stats` shows all of them over time.',
    ],
  });
}

interface Options extends GlobalOptions, PaginationOptions {
  stats?: true;
}

const viewFields = [...webhookView.fields, ...statsFields];

async function list(options: Options, context: CliContext): Promise<void> {
  const statsOption = findStatsOption(options);
  const view = createListView(options, statsOption !== null, context);
  const { webhooks } = createClient(context, options);
  const limit = getPageSize(options);
  const pages =
    statsOption === null
      ? webhooks.list({ limit }, { signal: context.signal }).pages()
      : listWithStats(webhooks, { limit, option: statsOption, signal: context.signal });
  await printList(pages, ['webhook', 'webhooks'], view, context, options);
}

/** @throws {CliError} `unsupported_option` if the service has no statistics */
async function* listWithStats(
  webhooks: Tradepost['webhooks'],
  { limit, option, signal }: { limit: number; option: string; signal: AbortSignal },
): AsyncGenerator<ListPage<ListedWebhook>> {
  const pages = listExtended<WebhookDetails, WebhookListParams>({
    list: (query) => webhooks.list(query, { signal }),
    query: {},
    extras: [{ extension: 'webhooks.stats', parameters: { expand: 'stats' }, option }],
    limit,
  });
  for await (const page of pages) yield { ...page, data: page.data.map(placeStats) };
}

const styles: Readonly<Record<string, StyleName>> = {
  healthy: 'green',
  failing: 'red',
  backoff: 'red',
  disabled: 'red',
  paused: 'yellow',
};

function createListView(
  options: GlobalOptions,
  hasStats: boolean,
  context: CliContext,
): View<ListedWebhook> {
  const explain = (webhook: WebhookDetails) => explainWebhook(webhook, { now: context.now() });
  // Where it would take the place of the URL, the time is left out.
  const isNarrow = getTerminalWidth(context.stdout) < 80;
  const times = chooseTimes(options, context, { hasExactTimes: true });
  // A backoff lasts for minutes: its hour and minute are enough.
  const formatTime = (time: string) =>
    times === null ? time : times.inRow(time).replace(/^\S+ (\d\d:\d\d):\d\d/, '$1');
  return {
    fields: hasStats || options.fields !== undefined ? viewFields : webhookView.fields,
    columns: [
      { title: 'ID', field: 'id' },
      {
        title: 'STATUS',
        field: 'status',
        text: (webhook) => {
          const { verdict } = explain(webhook);
          if (verdict === 'unknown') return webhook.status;
          return verdict === 'backoff' && !isNarrow
            ? formatTimes(`backoff until ${webhook.backoffUntil}`, formatTime)
            : verdict;
        },
        style: (webhook) => styles[explain(webhook).verdict] ?? null,
      },
      ...(hasStats ? statsColumns : []),
      { title: 'PENDING', field: 'pendingDeliveries', align: 'right', whenNarrow: 'leave-out' },
      {
        title: 'LAST',
        field: 'lastStatus',
        text: (webhook) => explain(webhook).last ?? '-',
        whenNarrow: 'leave-out',
      },
      { title: 'URL', field: 'url', whenNarrow: 'shorten' },
      { title: 'EVENTS', field: 'events', whenNarrow: 'leave-out' },
      { title: 'CREATED', field: 'createdAt', whenNarrow: 'leave-out' },
    ],
  };
}
