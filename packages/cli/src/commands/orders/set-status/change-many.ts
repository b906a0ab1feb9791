import { existsSync } from 'node:fs';
import { type AnyTradepostError, isTradepostError } from '@tradepost/sdk';
import { noFailure, type OutcomeFailure, runBulk } from '../../../bulk/run-bulk';
import { createClientFor, describeRetry } from '../../../client/create-client';
import {
  getKeyPrefix,
  isSameService,
  resolveSettings,
  type Settings,
} from '../../../config/settings';
import type { CliContext } from '../../../context';
import {
  BulkError,
  CliError,
  type CommandHint,
  commandHint,
  getErrorMessage,
  type Hint,
} from '../../../errors/cli-error';
import { type ExitReason, getExitReason } from '../../../errors/exit-codes';
import { lockFile } from '../../../files/lock-file';
import type { GlobalOptions } from '../../../input/options';
import { confirm } from '../../../input/prompt';
import { chooseFormat } from '../../../output/choose-format';
import { createBestEffortWriter, isReaderGone, printNotice } from '../../../output/print';
import { formatCount, formatNumber } from '../../../output/text';
import { quoteWord } from '../../../report/hint';
import { changeOrderWithRetry, type OrdersClient, unguardedNotice } from './change-order';
import {
  assertNewFile,
  createJournal,
  defaultJournalPath,
  type Journal,
  type JournalContent,
  openJournal,
  type Plan,
  readJournal,
} from './journal';
import {
  inDoubtCode,
  type StatusChange,
  type StatusOutcome,
  statusOutcomeView,
} from './outcome-view';

export interface BulkOptions {
  concurrency: number;
  maxFailures?: number;
  dryRun?: true;
  yes?: true;
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
  const plan = { ...change, baseUrl: settings.baseUrl, keyHint: getKeyPrefix(settings.apiKey) };
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
    const { isTruncated, ...content } = readJournal(path);
    const { baseUrl, keyHint } = content.plan;
    if (!isSameService(settings.baseUrl, baseUrl)) {
      throw new CliError(
        'usage',
        `The orders in ${path} are of ${baseUrl}, not of ${settings.baseUrl}`,
        `Set --profile, --base-url or TRADEPOST_BASE_URL to ${baseUrl}.`,
      );
    }
    const currentKey = getKeyPrefix(settings.apiKey);
    if (keyHint !== currentKey) {
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
  const format = await chooseFormat(options, statusOutcomeView, context.stdout);
  const { orders } = createClientFor(settings, context, options, options.concurrency);
  const targets = plan.ids.filter((id) => {
    const known = outcomes.get(id);
    return known === undefined || !isDone(known);
  });
  // Those not attempted first: an order that ends every run must not keep the others waiting for ever.
  targets.sort((one, other) => Number(outcomes.has(one)) - Number(outcomes.has(other)));
  if (!options.dryRun && targets.length > 0) {
    const { status, ifStatus, baseUrl } = plan;
    const question = `Move ${countOrders(targets.length, ifStatus)} to ${status} at ${baseUrl}?`;
    await confirm(question, context, { ...options, canDryRun: true });
  }
  const journal = targets.length > 0 && open !== null ? open() : null;
  const resumeHint = journal === null ? null : getResumeHint(journal.path, options);
  const result = await setStatuses(
    orders,
    content,
    {
      targets,
      concurrency: options.concurrency,
      maxFailures: options.maxFailures ?? Number.POSITIVE_INFINITY,
      dryRun: options.dryRun ?? false,
      journal,
      resumeHint,
    },
    context,
  );
  const writer = createBestEffortWriter(context.stdout);
  await writer.write(() => format.formatItems(result.outcomes));
  await writer.write(() => format.end());
  summarize(plan, result, { journal, resumeHint, printFailure: writer.failure() }, context);
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

export interface SetStatusesOptions {
  /** The orders of the plan that are not done. */
  targets: readonly string[];
  concurrency: number;
  maxFailures: number;
  dryRun: boolean;
  journal: Journal | null;
  resumeHint: Hint | null;
  /** @default 10000 */
  shutdownGraceMs?: number;
}

export function isDone({ outcome }: StatusOutcome): boolean {
  return outcome === 'updated' || outcome === 'unchanged';
}

/** A longer delay is reported every time, in milliseconds. */
const longDelayMs = 15_000;

/** Moves the orders of a plan that are not done, and closes the journal. */
export async function setStatuses(
  orders: OrdersClient,
  { plan, outcomes: earlier, inDoubt }: JournalContent,
  { targets, dryRun, journal, resumeHint, ...limits }: SetStatusesOptions,
  context: CliContext,
) {
  const outcomes = new Map(earlier);
  let isGuarded = true;
  const reported = new Set<string>();
  const onUnguarded = () => {
    if (!isGuarded || dryRun) return;
    isGuarded = false;
    printNotice(context, unguardedNotice);
  };
  const onLimited = (error: AnyTradepostError, delayMs: number) => {
    const reason = describeRetry(error);
    if (reported.has(reason) && delayMs < longDelayMs) return;
    reported.add(reason);
    const when = delayMs < longDelayMs ? '' : ` in ${Math.ceil(delayMs / 1_000)} s`;
    printNotice(context, `${reason}; retrying${when}.`);
  };
  const retry = { interrupted: context.signal, wait: context.wait, onLimited };

  const run = await runBulk(
    {
      ids: targets,
      ...limits,
      resumeHints: resumeHint === null ? [] : [resumeHint],
      showProgress: true,
      async work(id, signal) {
        journal?.begin(id);
        // An order that failed may have been changed, if the response was lost.
        const mayBeDone = inDoubt.has(id) || earlier.get(id)?.outcome === 'failed';
        const change = { ...plan, dryRun, onUnguarded, inDoubt: mayBeDone, signal };
        const { outcome, error } = await changeOrderWithRetry(orders, id, change, retry);
        const recorded = { ...outcome, ...getAbortReason(error, mayBeDone) };
        outcomes.set(id, recorded);
        journal?.end(recorded);
        return { outcome: recorded.outcome, error };
      },
    },
    context,
  );
  let { stoppedBy } = run;
  try {
    journal?.close();
  } catch (error) {
    stoppedBy ??= error;
  }
  return {
    /** An outcome for each order of the plan. */
    outcomes: plan.ids.map((id) => outcomes.get(id) ?? notAttempted(id, inDoubt.has(id))),
    /** The orders that failed or were skipped in this run. */
    failures: run.failures,
    /** How many orders were not attempted. */
    left: run.notAttempted.length,
    stoppedBy,
  };
}

/** The failure of an order that was in flight at the end of the shutdown grace period; null otherwise. */
function getAbortReason(error: unknown, wasInDoubt: boolean): OutcomeFailure | null {
  if (!isTradepostError(error) || error.code !== 'aborted') return null;
  if (error.method !== 'GET') {
    return { code: inDoubtCode, message: 'Interrupted; outcome unknown', requestId: null };
  }
  if (wasInDoubt) return inDoubtFailure;
  return { code: 'interrupted', message: 'Interrupted before it was moved', requestId: null };
}

const inDoubtFailure: OutcomeFailure = {
  code: inDoubtCode,
  message: 'An earlier run was interrupted; outcome unknown',
  requestId: null,
};

function notAttempted(id: string, isInDoubt: boolean): StatusOutcome {
  const order = { id, from: null, to: null };
  return isInDoubt
    ? { ...order, outcome: 'failed', ...inDoubtFailure }
    : { ...order, outcome: 'not_attempted', ...noFailure };
}

/** Errors of an order that a retry does not change. */
const finalReasons: ExitReason[] = ['conflict', 'notFound'];

/**
 * Reports the result on stderr, whatever went wrong with printing or recording it.
 *
 * @throws {CliError | BulkError} unless every order is done and printed
 */
function summarize(
  plan: Plan,
  { outcomes, failures, left, stoppedBy }: Awaited<ReturnType<typeof setStatuses>>,
  {
    journal,
    resumeHint,
    printFailure,
  }: Pick<SetStatusesOptions, 'journal' | 'resumeHint'> & { printFailure: unknown },
  context: CliContext,
): void {
  const summary = formatSummary(plan, outcomes);
  const resumeHints = resumeHint === null ? [] : [resumeHint];
  if (journal !== null) printNotice(context, `Journal: ${journal.path}`);
  if (context.signal.aborted && left + failures.length > 0) {
    const hints = resumeHint === null ? doubtHints(outcomes) : resumeHints;
    throw new CliError('interrupted', `Interrupted. ${summary}`, ...hints);
  }
  if (stoppedBy instanceof CliError) {
    const hints = resumeHint === null ? stoppedBy.hints : ['Free some disk space.', resumeHint];
    throw new CliError(stoppedBy.code, `${stoppedBy.message}. ${summary}`, ...hints);
  }
  if (failures.length > 0) {
    const succeeded = outcomes.filter((one) => isDone(one) || one.outcome === 'would_change');
    const canRetry =
      left > 0 || failures.some(({ error }) => !finalReasons.includes(getExitReason(error)));
    const hints = canRetry ? resumeHints : [];
    throw new BulkError(summary, succeeded.length, failures, ...hints);
  }
  if (printFailure !== null && !isReaderGone(printFailure)) {
    throw new CliError(
      'output_failed',
      `${summary}, but the result could not be printed: ${getErrorMessage(printFailure)}`,
      ...(journal === null ? [] : [`All outcomes are in ${journal.path}.`]),
    );
  }
  printNotice(context, summary.endsWith('.') ? summary : `${summary}.`);
}

/** What to do without a journal about orders whose outcome is unknown. */
function doubtHints(outcomes: readonly StatusOutcome[]): Hint[] {
  const doubtful = outcomes.find((one) => getSummaryKind(one) === inDoubtCode);
  if (doubtful === undefined) return [];
  const check = commandHint('For example:', 'orders get', doubtful.id);
  return ['Check the orders whose outcome is unknown before you move them again.', check];
}

function formatSummary({ status }: Plan, outcomes: readonly StatusOutcome[]): string {
  const verbs = {
    updated: `moved to ${status}`,
    would_change: `would move to ${status}`,
    unchanged: `already ${status}`,
    skipped: 'skipped',
    failed: 'failed',
    [inDoubtCode]: 'in doubt',
    not_attempted: 'not attempted',
  } as const;
  const counts = Object.entries(verbs).flatMap(([kind, verb]) => {
    const count = outcomes.filter((one) => getSummaryKind(one) === kind).length;
    return count > 0 ? [{ kind, text: `${formatNumber(count)} ${verb}` }] : [];
  });
  const [only, ...others] = counts;
  if (only === undefined) return 'No orders';
  const all = countOrders(outcomes.length);
  if (others.length > 0) return `${all}: ${counts.map(({ text }) => text).join(', ')}`;
  if (only.kind === 'would_change') return `Would move ${all} to ${status}. Nothing changed.`;
  const verb = verbs[only.kind as keyof typeof verbs];
  if (only.kind === 'unchanged') return `${all} ${outcomes.length === 1 ? 'was' : 'were'} ${verb}`;
  return `${all} ${verb}`;
}

/** Returns the outcome, or `in_doubt` for a failure whose outcome is unknown. */
function getSummaryKind({ outcome, code }: StatusOutcome): string {
  return outcome === 'failed' && code === inDoubtCode ? code : outcome;
}

function countOrders(count: number, status: string | null = null): string {
  return formatCount(count, status === null ? 'order' : `${status} order`);
}
