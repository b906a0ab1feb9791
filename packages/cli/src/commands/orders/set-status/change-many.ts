import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { orderStatuses } from '@tradepost/sdk';
import { createClientFor } from '../../../client/create-client';
import { getKeyPrefix, isSameService, type Settings } from '../../../config/settings';
import type { CliContext } from '../../../context';
import { CliError, type CommandHint, capitalize } from '../../../errors/cli-error';
import { lockFile } from '../../../files/lock-file';
import type { GlobalOptions } from '../../../input/options';
import { confirm } from '../../../input/prompt';
import {
  createJournal,
  defaultJournalPath,
  describeOwner,
  getCommonStatus,
  isOfKey,
  type Journal,
  type JournalContent,
  type Limits,
  openJournal,
  type Plan,
  readJournal,
} from '../../../journal/journal';
import { countOrders } from '../../../journal/outcomes';
import { isDone, isFinal, type StatusOutcome } from '../../../journal/status-change';
import { chooseFormat } from '../../../output/format';
import { createBestEffortWriter, printNotice } from '../../../output/print';
import { formatNumber } from '../../../output/text';
import { formatRelative } from '../../../output/times';
import { quoteWord } from '../../../report/hint';
import { statusOutcomeView } from './outcome-view';
import { setStatuses } from './set-statuses';
import { summarize } from './summary';

export interface BulkOptions extends Limits {
  reconnectTimeout: number;
  dryRun?: true;
  yes?: true;
  verbose?: true;
  failOnSkip?: true;
  /** The path of the journal; false for none, undefined for the default path. */
  journal?: string | false;
}

type Options = GlobalOptions & BulkOptions;

export async function changeMany(
  change: Pick<Plan, 'targets' | 'ifStatus' | 'reason'>,
  settings: Settings,
  options: Options,
  context: CliContext,
): Promise<void> {
  const { concurrency, rate, maxFailures } = options;
  const limits = { concurrency, rate, maxFailures };
  const plan = { ...change, baseUrl: settings.baseUrl, ...describeOwner(settings), limits };
  const content = { plan, outcomes: new Map(), details: new Map(), inDoubt: new Set<string>() };
  if (options.dryRun || options.journal === false) {
    return await changeOrders(content, settings, options, context, null);
  }
  const path = options.journal ?? defaultJournalPath(context);
  const release = lockFile(path);
  try {
    if (existsSync(path)) {
      const hint = 'Nothing changed. Resume it with --resume, or name a new file with --journal.';
      throw new CliError('file_unusable', `The journal ${path} exists`, hint);
    }
    const open = () => createJournal(path, plan, context.now);
    await changeOrders(content, settings, options, context, open);
  } finally {
    release();
  }
}

/** Continues a journal with the orders that are not done, including those that failed. */
export async function resume(
  path: string,
  settings: Settings,
  options: Options,
  context: CliContext,
): Promise<void> {
  const release = lockFile(path);
  try {
    const { isTruncated, createdAt, ...content } = readJournal(path);
    const { baseUrl, keyHint } = content.plan;
    if (!isSameService(settings.baseUrl, baseUrl)) {
      throw new CliError(
        'usage',
        `The orders in ${path} are of ${baseUrl}, not of ${settings.baseUrl}`,
        `Set --profile, --base-url or TRADEPOST_BASE_URL to ${baseUrl}.`,
      );
    }
    if (!isOfKey(content.plan, settings)) {
      const currentKey = getKeyPrefix(settings.apiKey);
      printNotice(context, `Started with key ${keyHint}, resuming with key ${currentKey}.`);
    }
    const open = () => openJournal(path, isTruncated, context.now);
    await changeOrders(
      content,
      settings,
      { ...content.plan.limits, ...options },
      context,
      options.dryRun ? null : open,
      { path, createdAt },
    );
  } finally {
    release();
  }
}

const defaultConcurrency = 8;

/**
 * @param open opens the journal, once it is certain that orders will be changed; null for none
 * @param resumed the journal that is continued
 */
async function changeOrders(
  content: JournalContent,
  settings: Settings,
  options: Options,
  context: CliContext,
  open: (() => Journal) | null,
  resumed: ResumedJournal | null = null,
): Promise<void> {
  const { plan, outcomes } = content;
  const { concurrency = defaultConcurrency } = options;
  const format = await chooseFormat(options, statusOutcomeView, context);
  const { orders } = createClientFor(settings, context, options, { concurrency });
  const ids = [...plan.targets.keys()].filter((id) => {
    const known = outcomes.get(id);
    return known === undefined || !isDone(known);
  });
  // Those not attempted first: an order that ends every run must not keep the others waiting for ever.
  ids.sort((one, other) => Number(outcomes.has(one)) - Number(outcomes.has(other)));
  if (!options.dryRun && ids.length > 0) {
    const question = formatQuestion(plan, ids, resumed, context.now());
    await confirm(question, context, { ...options, canDryRun: true });
  }
  const journal = ids.length > 0 && open !== null ? open() : null;
  if (journal !== null) printNotice(context, `Journal: ${journal.path}`);
  const resumeHint = journal === null ? null : getResumeHint(journal.path, options);
  const result = await setStatuses(
    orders,
    content,
    {
      ids,
      concurrency,
      intervalMs: options.rate,
      maxFailures: options.maxFailures ?? Number.POSITIVE_INFINITY,
      reconnectTimeout: options.reconnectTimeout,
      dryRun: options.dryRun ?? false,
      journal,
      resumeHint,
    },
    context,
  );
  const isShortened =
    context.stdout.isTTY === true && options.output === 'table' && !options.verbose;
  const shown = isShortened ? result.outcomes.filter(isFailed) : result.outcomes;
  const writer = createBestEffortWriter(context.stdout);
  await writer.write(() => format.formatItems(shown));
  await writer.write(() => format.end());
  summarize(
    plan,
    result,
    {
      journalPath: journal?.path ?? null,
      resumeHint,
      printFailure: writer.failure(),
      isShortened,
      failOnSkip: options.failOnSkip ?? false,
      isDryRun: options.dryRun ?? false,
    },
    context,
  );
}

function isFailed({ outcome }: StatusOutcome): boolean {
  return outcome === 'failed' || outcome === 'would_fail';
}

interface ResumedJournal {
  path: string;
  createdAt: string | null;
}

function formatQuestion(
  plan: Plan,
  ids: readonly string[],
  resumed: ResumedJournal | null,
  now: number,
): string {
  const { targets, ifStatus, baseUrl } = plan;
  const orders = countOrders(ids.length, ifStatus);
  const status = getCommonStatus(plan);
  const counts = orderStatuses.flatMap((one) => {
    const count = ids.filter((id) => targets.get(id) === one).length;
    return count > 0 ? [`${formatNumber(count)} to ${one}${isFinal(one) ? ' (final)' : ''}`] : [];
  });
  const question =
    status === null
      ? `move ${orders} at ${baseUrl}: ${counts.join(', ')}?`
      : `move ${orders} to ${status} at ${baseUrl}?${isFinal(status) ? ' This is final.' : ''}`;
  if (resumed === null) return capitalize(question);
  const { path, createdAt } = resumed;
  const age = createdAt === null ? '' : `, started ${formatRelative(Date.parse(createdAt), now)}`;
  return `Resume a job: ${question} Journal: ${basename(path)}${age}`;
}

function getResumeHint(path: string, { profile, baseUrl }: Options): CommandHint {
  return {
    text: 'Resume with:',
    command: 'orders set-status',
    args: [
      ...(profile === undefined ? [] : ['--profile', quoteWord(profile)]),
      ...(baseUrl === undefined ? [] : ['--base-url', quoteWord(baseUrl)]),
      '--resume',
      quoteWord(path),
    ],
    local: true,
  };
}
