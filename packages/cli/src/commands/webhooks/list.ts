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
import { webhookView } from './webhook-view';

/** `tradepost webhooks list` */
export function configure(command: Command, context: CliContext): void {
  addPaginationOptions(command, 'webhooks').action(async () => {
    const options = command.optsWithGlobals<GlobalOptions & PaginationOptions>();
    const { webhooks } = createClient(context, options);
    const pages = webhooks
      .list({ limit: getPageSize(options) }, { signal: context.signal })
      .pages();
    await printList(pages, ['webhook', 'webhooks'], webhookView, context, options);
  });
  addHelp(command, {
    fields: webhookView.fields,
    Examples: [
      '$ tradepost webhooks list',
      "$ tradepost webhooks list --all --jq '.[] | select(.consecutiveFailures > 0) | .id'",
    ],
    Output: [
      `json: an array of ${describeShape(webhookView)}`,
      'FAILURES counts the failed attempts since the last success.',
    ],
  });
}
