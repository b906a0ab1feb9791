import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getKeyPrefix, isSameService, type Settings } from '../config/settings';
import type { CliContext } from '../context';
import { attempt, CliError, localHint } from '../errors/cli-error';
import { isLocked } from '../files/lock-file';
import { getCommonStatus, isOfKey, journalFolder, readJournal, type SavedJournal } from './journal';
import { isDone } from './status-change';

/**
 * What became of the work in a journal.
 * - `running`: a process is working on it.
 * - `complete`: nothing is left to do.
 * - `failed`: every order was attempted, and some failed. If it is resumed, they are attempted again.
 * - `incomplete`: orders are left. It can be resumed.
 */
export type JobState = 'running' | 'complete' | 'failed' | 'incomplete';

/** A bulk change of orders, as its journal tells. */
export interface Job {
  /** ISO 8601, UTC; null if the journal does not have it. */
  createdAt: string | null;
  state: JobState;
  /** Null if each order has its own. */
  status: string | null;
  ifStatus: string | null;
  orders: number;
  /** Orders that have the status. */
  done: number;
  skipped: number;
  failed: number;
  /** Orders that were not attempted, or without an outcome. */
  left: number;
  baseUrl: string;
  /** The first characters of the key that it was started with. */
  apiKeyPrefix: string;
  journal: string;
}

/** Lists the journals in the folder for them, newest first. Files that are no complete journals are left out. */
export function listJobs(context: Pick<CliContext, 'env'>): Job[] {
  return readJobs(context).map(({ job }) => job);
}

interface SavedJob {
  job: Job;
  content: SavedJournal;
}

function readJobs({ env }: Pick<CliContext, 'env'>): SavedJob[] {
  const folder = journalFolder(env);
  return listFiles(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .reverse()
    .flatMap((name) => {
      const saved = readJob(join(folder, name));
      return saved === null ? [] : [saved];
    });
}

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const read = () => readdirSync(folder);
  return attempt(read, 'input_unreadable', 'Cannot read the folder of the journals');
}

function readJob(path: string): SavedJob | null {
  let content: SavedJournal;
  try {
    content = readJournal(path);
  } catch {
    return null;
  }
  const { plan, createdAt } = content;
  const counts = countOutcomes(content);
  const job: Job = {
    createdAt,
    state: isLocked(path) ? 'running' : getState(counts),
    status: getCommonStatus(plan),
    ifStatus: plan.ifStatus,
    orders: plan.targets.size,
    ...counts,
    baseUrl: plan.baseUrl,
    apiKeyPrefix: plan.keyHint,
    journal: path,
  };
  return { job, content };
}

function getState({ failed, left }: Pick<Job, 'failed' | 'left'>): JobState {
  if (left > 0) return 'incomplete';
  return failed > 0 ? 'failed' : 'complete';
}

function countOutcomes({ plan, outcomes }: SavedJournal) {
  let done = 0;
  let skipped = 0;
  let failed = 0;
  for (const outcome of outcomes.values()) {
    if (isDone(outcome)) done += 1;
    if (outcome.outcome === 'skipped') skipped += 1;
    if (outcome.outcome === 'failed') failed += 1;
  }
  return { done, skipped, failed, left: plan.targets.size - done - skipped - failed };
}

/** Whether orders are left, or failed with what may pass. */
function canFinish({ job, content: { outcomes, details } }: SavedJob): boolean {
  if (job.state === 'incomplete') return true;
  const isRetryable = (id: string) =>
    outcomes.get(id)?.outcome === 'failed' && details.get(id)?.isFinal !== true;
  return job.state === 'failed' && [...outcomes.keys()].some(isRetryable);
}

/**
 * Finds the newest journal of the current service and account that can be finished.
 *
 * @throws {CliError} `usage` if there is none
 */
export function findLatestJournal(settings: Settings, context: CliContext): string {
  const { baseUrl, apiKey, accountId } = settings;
  const resumable = readJobs(context).filter(
    (saved) => isSameService(saved.job.baseUrl, baseUrl) && canFinish(saved),
  );
  const found = resumable.find(
    ({ content: { plan } }) =>
      isOfKey(plan, settings) || (accountId !== null && plan.accountId === accountId),
  );
  if (found !== undefined) return found.job.journal;
  const [other] = resumable;
  throw new CliError(
    'usage',
    other === undefined
      ? `No journal of ${baseUrl} can be resumed`
      : `No journal of ${baseUrl} can be resumed that was started with this key, ${getKeyPrefix(apiKey)}`,
    ...(other === undefined ? [] : [`The newest one is of the key ${other.job.apiKeyPrefix}.`]),
    localHint('To see all journals, run', 'jobs list'),
  );
}

/**
 * Finds a journal by its path, or by its name in the folder for them.
 *
 * @param name `latest` for the newest one
 * @throws {CliError} `input_unreadable` if there is none
 */
export function findJournal(name: string, context: Pick<CliContext, 'env'>): string {
  const [latest] = name === 'latest' ? listJobs(context) : [];
  const paths = [name, `${name}.ndjson`].map((file) => join(journalFolder(context.env), file));
  const found = latest?.journal ?? [name, ...paths].find((path) => existsSync(path));
  if (found !== undefined) return found;
  const what = name === 'latest' ? 'No job has a journal' : `No journal at ${name}`;
  throw new CliError('input_unreadable', what, localHint('To see all, run', 'jobs list'));
}
