import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getKeyPrefix, isSameService, resolveSettings } from '../config/settings';
import type { CliContext } from '../context';
import { attempt, CliError, localHint } from '../errors/cli-error';
import { isLocked } from '../files/lock-file';
import type { ConnectionOptions } from '../input/options';
import { isKeyOf, type JournalContent, journalFolder, type Plan, readJournal } from './journal';
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
  status: string;
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
  plan: Plan;
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
  let content: ReturnType<typeof readJournal>;
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
    status: plan.status,
    ifStatus: plan.ifStatus,
    orders: plan.ids.length,
    ...counts,
    baseUrl: plan.baseUrl,
    apiKeyPrefix: plan.keyHint,
    journal: path,
  };
  return { job, plan };
}

function getState({ failed, left }: Pick<Job, 'failed' | 'left'>): JobState {
  if (left > 0) return 'incomplete';
  return failed > 0 ? 'failed' : 'complete';
}

function countOutcomes({ plan, outcomes }: JournalContent) {
  let done = 0;
  let skipped = 0;
  let failed = 0;
  for (const outcome of outcomes.values()) {
    if (isDone(outcome)) done += 1;
    if (outcome.outcome === 'skipped') skipped += 1;
    if (outcome.outcome === 'failed') failed += 1;
  }
  return { done, skipped, failed, left: plan.ids.length - done - skipped - failed };
}

/**
 * Finds the newest journal of the current service and key that can be resumed. Another key may be of another account.
 *
 * @throws {CliError} `usage` if there is none
 */
export function findLatestJournal(options: ConnectionOptions, context: CliContext): string {
  const { baseUrl, apiKey } = resolveSettings(context, options);
  const resumable = readJobs(context).filter(
    ({ job: { state, baseUrl: url } }) =>
      (state === 'incomplete' || state === 'failed') && isSameService(url, baseUrl),
  );
  const found = resumable.find(({ plan }) => isKeyOf(plan, apiKey));
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
