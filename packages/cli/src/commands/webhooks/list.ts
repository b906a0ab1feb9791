import type { WebhookDetails } from '@tradepost/sdk';
import { explainWebhook } from '@tradepost/sdk/explain';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
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
import type { View } from '../../output/view';
import { webhookView } from './webhook-view';

export function configure(command: Command, context: CliContext): void {
  addPaginationOptions(command, 'webhooks').action(async () => {
    const options = command.optsWithGlobals<GlobalOptions & PaginationOptions>();
    const { webhooks } = createClient(context, options);
    const pages = webhooks
      .list({ limit: getPageSize(options) }, { signal: context.signal })
      .pages();
    const view = createListView(options, context);
    await printList(pages, ['webhook', 'webhooks'], view, context, options);
  });
  addHelp(command, {
    fields: webhookView.fields,
    Examples: [
      '$ tradepost webhooks list',
      "$ tradepost webhooks list --all --jq '.[] | select(.consecutiveFailures > 0) | .id'",
    ],
    Output: [
      `json: an array of ${describeShape(webhookView)}`,
      'table, STATUS: healthy, failing, backoff, disabled, paused; active if nothing was sent yet',
      'table, LAST: how the last attempt ended, and for how long attempts have failed',
    ],
    Notes: ['`tradepost webhooks explain` says why an endpoint fails.'],
  });
}

const styles: Readonly<Record<string, StyleName>> = {
  healthy: 'green',
  failing: 'red',
  backoff: 'red',
  disabled: 'red',
  paused: 'yellow',
};

function createListView(options: GlobalOptions, context: CliContext): View<WebhookDetails> {
  const explain = (webhook: WebhookDetails) => explainWebhook(webhook, { now: context.now() });
  // Where it would take the place of the URL, the time is left out.
  const isNarrow = getTerminalWidth(context.stdout) < 80;
  const times = chooseTimes(options, context, { hasExactTimes: true });
  // A backoff lasts for minutes: its hour and minute are enough.
  const formatTime = (time: string) =>
    times === null ? time : times.inRow(time).replace(/^\S+ (\d\d:\d\d):\d\d/, '$1');
  return {
    ...webhookView,
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
