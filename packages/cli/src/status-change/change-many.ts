import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { BulkError } from '../bulk-error';
import { CliError } from '../cli-error';
import { connectAs } from '../connect';
import { type ExitReason, exitReasonOf } from '../exit-codes';
import { lockFile } from '../files/lock-file';
import type { GlobalOptions } from '../global-options';
import { confirm } from '../input/confirm';
import { messageOf } from '../message-of';
import { chooseFormat } from '../output/choose-format';
import { note } from '../output/note';
import { writeData } from '../output/write';
import { stateFolder } from '../settings/folders';
import { type Settings, settingsOf } from '../settings/settings';
import type { Terminal } from '../terminal';
import {
  continueResultFile,
  createResultFile,
  type Plan,
  type Recorded,
  type ResultFile,
  readResultFile,
} from './result-file';
import { isSettled, type StatusesSet, setStatuses } from './set-statuses';
import { type StatusOutcome, statusOutcomeView } from './status-change';

/** How several orders are changed. */
export interface BulkOptions {
  /** How many at a time. */
  concurrency: number;
  /** No other is begun once so many have failed; undefined for any number. */
  maxFailures?: number;
  /** Whether orders are looked at only. */
  dryRun?: true;
  /** Whether nobody is asked. */
  yes?: true;
  /** Where what came of each is written down: false for nowhere, undefined for the usual place. */
  resultFile?: string | false;
}

type Options = GlobalOptions & BulkOptions;

/** Moves several orders to a status, prints what came of each, and writes it down. */
export async function changeMany(
  planned: Omit<Plan, 'baseUrl'>,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const settings = settingsOf(terminal, options);
  const plan = { ...planned, baseUrl: settings.baseUrl };
  const recorded: Recorded = { plan, outcomes: new Map(), inDoubt: new Set() };
  await work(recorded, settings, options, terminal, () => {
    if (options.dryRun || options.resultFile === false) return null;
    const path = options.resultFile ?? usualFile(terminal);
    const release = lockFile(path);
    try {
      return { file: createResultFile(path, plan, terminal.now()), release };
    } catch (error) {
      release();
      throw error;
    }
  });
}

/** Goes on with a result file: with the orders that are not settled, those that failed included. */
export async function resume(path: string, options: Options, terminal: Terminal): Promise<void> {
  const settings = settingsOf(terminal, options);
  const release = lockFile(path);
  try {
    const { cutOff, ...recorded } = readResultFile(path);
    if (recorded.plan.baseUrl !== settings.baseUrl) {
      throw new CliError(
        'usage',
        `the orders of ${path} are of ${recorded.plan.baseUrl}, not of ${settings.baseUrl}`,
        'Set TRADEPOST_BASE_URL, --base-url or --profile to the service that it was begun with.',
      );
    }
    await work(recorded, settings, options, terminal, () =>
      options.dryRun ? null : { file: continueResultFile(path, cutOff), release: () => {} },
    );
  } finally {
    release();
  }
}

/** @param open opens the result file, once it is certain that orders are to be changed */
async function work(
  recorded: Recorded,
  settings: Settings,
  options: Options,
  terminal: Terminal,
  open: () => { file: ResultFile; release: () => void } | null,
): Promise<void> {
  const { plan } = recorded;
  const format = await chooseFormat(options, statusOutcomeView, terminal.stdout);
  const { orders } = connectAs(settings, terminal, options, options.concurrency);
  const left = plan.ids.length - Array.from(recorded.outcomes.values()).filter(isSettled).length;
  if (!options.dryRun && left > 0) await confirm(questionOf(plan, left), terminal, options);
  const opened = left > 0 ? open() : null;
  try {
    const file = opened?.file ?? null;
    const howToGoOn =
      file === null ? '' : `Go on with: tradepost orders set-status --resume ${quoted(file.path)}`;
    const ended = await setStatuses(
      orders,
      recorded,
      {
        concurrency: options.concurrency,
        maxFailures: options.maxFailures ?? Number.POSITIVE_INFINITY,
        dryRun: options.dryRun ?? false,
        file,
        howToGoOn,
      },
      terminal,
    );
    file?.close();
    await writeData(terminal.stdout, format.part(ended.outcomes));
    await writeData(terminal.stdout, format.end());
    conclude(plan, ended, { file, howToGoOn }, terminal);
  } finally {
    opened?.release();
  }
}

function questionOf({ status, ifStatus, baseUrl }: Plan, left: number): string {
  const which = ifStatus === null ? '' : ` that are ${ifStatus}`;
  return `Move ${counted(left)}${which} to ${status}, at ${baseUrl}?`;
}

/** Says on stderr how it ended, and throws unless every order is as it was asked to be. */
function conclude(
  plan: Plan,
  { outcomes, failures, endedBy }: StatusesSet,
  { file, howToGoOn }: { file: ResultFile | null; howToGoOn: string },
  terminal: Terminal,
): void {
  const story = storyOf(plan, outcomes);
  if (file !== null) note(terminal, `Result file: ${file.path}`);
  const untried = outcomes.filter(({ outcome }) => outcome === 'untried').length;
  if (untried > 0 && terminal.signal.aborted) {
    throw new CliError('interrupted', `interrupted: ${story}`, howToGoOn || null);
  }
  if (endedBy instanceof CliError) throw endedBy;
  if (failures.length === 0) {
    note(terminal, `${story[0]?.toUpperCase()}${story.slice(1)}.`);
    return;
  }
  const succeeded = outcomes.filter(
    (outcome) => isSettled(outcome) || outcome.outcome === 'would-change',
  ).length;
  const mayStillBeDone =
    untried > 0 || failures.some(({ error }) => !isFinal.includes(exitReasonOf(error)));
  throw new BulkError(story, succeeded, failures, (mayStillBeDone && howToGoOn) || null);
}

/** Why an order was not moved, of which trying again changes nothing. */
const isFinal: ExitReason[] = ['conflict', 'notFound'];

function storyOf({ status }: Plan, outcomes: readonly StatusOutcome[]): string {
  const words = {
    done: `moved to ${status}`,
    'would-change': `would be moved to ${status}`,
    unchanged: `already ${status}`,
    skipped: 'left alone',
    failed: 'failed',
    untried: 'not tried',
  } as const;
  const parts = Object.entries(words).flatMap(([kind, word]) => {
    const count = outcomes.filter(({ outcome }) => outcome === kind).length;
    return count > 0 ? [`${count} ${word}`] : [];
  });
  return `of ${counted(outcomes.length)} ${parts.join(', ')}`;
}

function counted(count: number): string {
  return count === 1 ? '1 order' : `${count} orders`;
}

/** Where results are written down unless another place is named. */
function usualFile(terminal: Terminal): string {
  const moment = new Date(terminal.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const path = join(
    stateFolder(terminal.env),
    'results',
    `set-status-${moment}-${process.pid}.ndjson`,
  );
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return path;
  } catch (error) {
    throw new CliError(
      'file_failed',
      `the folder of the result files cannot be made: ${messageOf(error)}`,
      'Nothing was changed. Name a file with --result-file, or do without by --no-result-file.',
    );
  }
}

/** A path as a shell takes it. */
function quoted(path: string): string {
  return /^[\w./:@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
