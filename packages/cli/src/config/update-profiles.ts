import { setTimeout } from 'node:timers/promises';
import type { CliContext } from '../context';
import { CliError } from '../errors/cli-error';
import { LockedError, lockFile } from '../files/lock-file';
import { configFolder, type Profiles, profilesFile, readProfiles, writeProfiles } from './profiles';

/** A change takes milliseconds. A process that keeps the lock longer than this is stuck. */
const lockTimeout = { attempts: 60, waitMs: 25 };

/**
 * Changes the profiles under a lock: two processes that log in at once both succeed.
 *
 * @param change returns the new profiles. If it throws, nothing changes.
 * @returns the new profiles
 * @throws {CliError} `file_failed` if they cannot be read, written or locked; `interrupted`
 */
export async function updateProfiles(
  context: CliContext,
  change: (profiles: Profiles) => Profiles,
): Promise<Profiles> {
  const file = profilesFile(configFolder(context.env));
  const release = await lock(file, context);
  try {
    const changed = change(readProfiles(file));
    writeProfiles(file, changed);
    return changed;
  } finally {
    release();
  }
}

async function lock(file: string, context: CliContext): Promise<() => void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return lockFile(file);
    } catch (error) {
      // Waiting does not help where the folder is not writable.
      if (!(error instanceof LockedError) || attempt >= lockTimeout.attempts) throw error;
    }
    if (context.signal.aborted) {
      throw new CliError('interrupted', 'Interrupted. Nothing changed.');
    }
    await setTimeout(lockTimeout.waitMs);
  }
}
