import { existsSync } from 'node:fs';
import { createClientFor } from '../../../client/create-client';
import {
  getKeyPrefix,
  isSameService,
  resolveSettings,
  type Settings,
} from '../../../config/settings';
import type { CliContext } from '../../../context';
import { CliError, type CommandHint } from '../../../errors/cli-error';
import { lockFile } from '../../../files/lock-file';
import type { GlobalOptions } from '../../../input/options';
import { confirm } from '../../../input/prompt';
import {
  assertNewFile,
  createJournal,
  defaultJournalPath,
  describeKey,
  isKeyOf,
  type Journal,
  type JournalContent,
  openJournal,
  type Plan,
  readJournal,
} from '../../../journal/journal';
import {
  isDone,
  isFinal,
  type StatusChange,
  type StatusOutcome,
} from '../../../journal/status-change';
import { chooseFormat } from '../../../output/format';
import { createBestEffortWriter, printNotice } from '../../../output/print';
import { quoteWord } from '../../../report/hint';
import { statusOutcomeView } from './outcome-view';
import { setStatuses } from './set-statuses';
import { countOrders, summarize } from './summary';

export interface BulkOptions {
  concurrency: number;
  /** Milliseconds between two starts. */
  rate?: number;
  reconnectTimeout: number;
  maxFailures?: number;
  dryRun?: true;
  yes?: true;
  verbose?: true;
  failOnSkip?: true;
  /** The path of the journal; false for none, undefined for the default path. */
  journal?: string | false;
}

type Options = GlobalOptions & BulkOptions;

export async function changeMany(
  change: StatusChange & Pick<Plan, 'ids'>,
  options: Options,
  context: CliContext,
): Promise<void> {
  const settings = resolveSettings(context, options);
  const plan = { ...change, baseUrl: settings.baseUrl, ...describeKey(settings.apiKey) };
  const content: JournalContent = { plan, outcomes: new Map(), inDoubt: new Set() };
  if (options.dryRun || options.journal === false) {
    return await changeOrders(content, settings, options, context, null);
  }
  const path = options.journal ?? defaultJournalPath(context);
  const release = lockFile(path);
  try {
    assertNewFile(path);
    const open = () => createJournal(path, plan, context.now());
    await changeOrders(content, settings, options, context, open);
  } finally {
    release();
  }
}

/** Continues a journal with the orders that are not done, including those that failed. */
export async function resume(path: string, options: Options, context: CliContext): Promise<void> {
  const settings = resolveSettings(context, options);
  // Before locking: no lock is created beside a missing file.
  if (!existsSync(path)) throw new CliError('input_unreadable', `No journal at ${path}`);
  const release = lockFile(path);
  try {
    const { isTruncated, createdAt: _, ...content } = readJournal(path);
    const { baseUrl, keyHint } = content.plan;
    if (!isSameService(settings.baseUrl, baseUrl)) {
      throw new CliError(
        'usage',
        `The orders in ${path} are of ${baseUrl}, not of ${settings.baseUrl}`,
        `Set --profile, --base-url or TRADEPOST_BASE_URL to ${baseUrl}.`,
      );
    }
    if (!isKeyOf(content.plan, settings.apiKey)) {
      const currentKey = getKeyPrefix(settings.apiKey);
      printNotice(context, `Started with key ${keyHint}, resuming with key ${currentKey}.`);
    }
    const open = () => openJournal(path, isTruncated);
    await changeOrders(content, settings, options, context, options.dryRun ? null : open);
  } finally {
    release();
  }
}

/** @param open opens the journal, once it is certain that orders will be changed; null for none */
async function changeOrders(
  content: JournalContent,
  settings: Settings,
  options: Options,
  context: CliContext,
  open: (() => Journal) | null,
): Promise<void> {
  const { plan, outcomes } = content;
  const format = await chooseFormat(options, statusOutcomeView, context);
  const { orders } = createClientFor(settings, context, options, {
    concurrency: options.concurrency,
  });
  const targets = plan.ids.filter((id) => {
    const known = outcomes.get(id);
    return known === undefined || !isDone(known);
  });
  // Those not attempted first: an order that ends every run must not keep the others waiting for ever.
  targets.sort((one, other) => Number(outcomes.has(one)) - Number(outcomes.has(other)));
  if (!options.dryRun && targets.length > 0) {
    await confirm(formatQuestion(plan, targets.length), context, { ...options, canDryRun: true });
  }
  const journal = targets.length > 0 && open !== null ? open() : null;
  if (journal !== null) printNotice(context, `Journal: ${journal.path}`);
  const resumeHint = journal === null ? null : getResumeHint(journal.path, options);
  const result = await setStatuses(
    orders,
    content,
    {
      targets,
      concurrency: options.concurrency,
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

function formatQuestion({ status, ifStatus, baseUrl }: Plan, count: number): string {
  const question = `Move ${countOrders(count, ifStatus)} to ${status} at ${baseUrl}?`;
  return isFinal(status) ? `${question} This is final.` : question;
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
