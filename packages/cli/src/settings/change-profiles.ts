import { setTimeout } from 'node:timers/promises';
import { CliError } from '../cli-error';
import { LockedError, lockFile } from '../files/lock-file';
import type { Terminal } from '../terminal';
import { configFolder } from './folders';
import { type Profiles, profilesFile, readProfiles, writeProfiles } from './profiles';

/** A change takes milliseconds: whoever has the lock for longer than all of this is stuck. */
const patience = { attempts: 60, waitMs: 25 };

/**
 * Changes the logins, one process after the other: of two that log in at once both are kept.
 *
 * @param change makes the new ones of those there are. What it throws changes nothing.
 * @returns the logins as they now are
 * @throws {CliError} `file_failed` when they cannot be read or written, or when another process keeps
 * them locked; `interrupted` after Ctrl-C.
 */
export async function changeProfiles(
  terminal: Terminal,
  change: (profiles: Profiles) => Profiles,
): Promise<Profiles> {
  const file = profilesFile(configFolder(terminal.env));
  const release = await lock(file, terminal);
  try {
    const changed = change(readProfiles(file));
    writeProfiles(file, changed);
    return changed;
  } finally {
    release();
  }
}

async function lock(file: string, terminal: Terminal): Promise<() => void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return lockFile(file);
    } catch (error) {
      // A folder that may not be written to cannot be waited for.
      if (!(error instanceof LockedError) || attempt >= patience.attempts) throw error;
    }
    if (terminal.signal.aborted) {
      throw new CliError('interrupted', 'interrupted: the logins are unchanged');
    }
    await setTimeout(patience.waitMs);
  }
}
