import { basename } from 'node:path';
import type { Command } from 'commander';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import type { GlobalOptions } from '../../input/options';
import { type Job, type JobState, listJobs } from '../../journal/jobs';
import { describeShape } from '../../output/format';
import { printList } from '../../output/print';
import type { StyleName } from '../../output/text';
import type { View } from '../../output/view';

const styles: Record<JobState, StyleName> = {
  running: 'cyan',
  complete: 'green',
  failed: 'red',
  incomplete: 'yellow',
};

const jobView: View<Job> = {
  fields: [
    'createdAt',
    'state',
    'status',
    'ifStatus',
    'orders',
    'done',
    'skipped',
    'failed',
    'left',
    'baseUrl',
    'apiKeyPrefix',
    'journal',
  ],
  columns: [
    // Wide enough for any time, state and status: every list has the same columns.
    { title: 'STARTED', field: 'createdAt', minWidth: 11 },
    { title: 'STATE', field: 'state', minWidth: 10, style: ({ state }) => styles[state] },
    { title: 'TO', field: 'status', minWidth: 10 },
    { title: 'ORDERS', field: 'orders', align: 'right' },
    { title: 'DONE', field: 'done', align: 'right' },
    { title: 'SKIPPED', field: 'skipped', align: 'right', whenNarrow: 'leave-out' },
    { title: 'FAILED', field: 'failed', align: 'right' },
    { title: 'LEFT', field: 'left', align: 'right' },
    {
      title: 'JOURNAL',
      field: 'journal',
      text: ({ journal }) => basename(journal),
      whenNarrow: 'leave-out',
    },
    { title: 'KEY', field: 'apiKeyPrefix', minWidth: 9, whenNarrow: 'leave-out' },
    { title: 'SERVICE', field: 'baseUrl', whenNarrow: 'leave-out' },
  ],
};

export function configure(command: Command, context: CliContext): void {
  command.action(() => list(command.optsWithGlobals<GlobalOptions>(), context));
  addHelp(command, {
    fields: jobView.fields,
    Examples: [
      '$ tradepost jobs list',
      '$ tradepost jobs list --jq \'.[] | select(.state == "incomplete") | .journal\'',
    ],
    Output: [
      `json: an array of ${describeShape(jobView)}`,
      'state: running, complete, failed (all orders were attempted, some failed), incomplete (orders are left)',
      'A table has the name of the journal, and on a narrow terminal no journals, keys and services: `--fields journal,apiKeyPrefix,baseUrl` shows them.',
    ],
    Notes: [
      '`tradepost orders set-status --resume latest` continues the newest job of the same service, and the same key or account, that has orders left, or failures that may pass.',
      'A job is a change of several orders. Its journal is in the state folder. Journals that --journal put elsewhere are not listed.',
    ],
  });
}

async function list(options: GlobalOptions, context: CliContext): Promise<void> {
  async function* pages() {
    yield { data: listJobs(context), nextCursor: null };
  }
  await printList(pages(), ['job', 'jobs'], jobView, context, { ...options, all: true });
}
