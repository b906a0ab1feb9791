import type { Command } from 'commander';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { addLimitOptions, type ListLimitOptions, limitsOf } from '../../list-limit';
import { showList } from '../../output/show-list';
import type { Terminal } from '../../terminal';
import { webhookShape, webhookView } from './webhook-view';

interface Options extends GlobalOptions, ListLimitOptions {}

/** `tradepost webhooks list`. */
export function define(command: Command, terminal: Terminal): void {
  addLimitOptions(command, 'webhooks')
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost webhooks list',
          "$ tradepost webhooks list --all --jq '.[] | select(.consecutiveFailures > 0) | .id'",
        ],
        Output: [
          `json: an array of ${webhookShape}`,
          'FAILURES counts the failed attempts since the last one that succeeded.',
        ],
      }),
    )
    .action(() => list(command.optsWithGlobals<Options>(), terminal));
}

async function list(options: Options, terminal: Terminal): Promise<void> {
  const { limit, pageSize } = limitsOf(options);
  const { webhooks } = connect(terminal, options);
  const pages = webhooks.list({ limit: pageSize }, { signal: terminal.signal }).pages();
  await showList({ pages, limit, noun: 'webhooks' }, webhookView, terminal, options);
}
