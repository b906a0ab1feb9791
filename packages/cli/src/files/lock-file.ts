import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { attempt, CliError } from '../errors/cli-error';
import { createFolder, followLinks, hasCode } from './private-files';

/** Another process has locked a file. It can be waited for. */
export class LockedError extends CliError {
  constructor(
    path: string,
    /** The process, as far as it is known: `process 123 on host`. */
    readonly owner: string,
  ) {
    super(
      'file_failed',
      `${path} is in use by ${owner}`,
      `Try again when it has ended. If there is no such process, delete ${path}.lock*.`,
    );
  }
}

/** An empty lock that is older than this, in milliseconds, belongs to a process that was killed. */
const maxEmptyLockMs = 10_000;

const heldLocks = new Set<string>();

/**
 * Locks a file for this process, by a file beside it that names the process and its machine
 * (`FILE.lock`). The lock of a killed process of this machine is taken over.
 *
 * @returns a function that releases the lock
 * @throws {CliError} a `LockedError` (`file_failed`) if another process has it; `file_unusable` if no lock
 * can be created there
 */
export function lockFile(path: string): () => void {
  const lock = lockPath(path);
  const self = `${process.pid} ${hostname()}`;
  if (!createLock(lock, self)) {
    const owner = readIfPossible(lock);
    const isOurs = owner !== null && isGone(owner, lock) && takeOver(lock, owner, self);
    if (!isOurs) throw new LockedError(path, describeOwner(owner));
  }
  heldLocks.add(lock);
  return () => {
    heldLocks.delete(lock);
    // A person may have deleted it, and another process may have locked the file since.
    if (readIfPossible(lock) === self) rmSync(lock, { force: true });
  };
}

/** A change takes milliseconds. A process that keeps the lock longer than this is stuck. */
const lockTimeout = { attempts: 60, waitMs: 25 };

/**
 * Locks a file for a short change, and waits while another process changes it.
 *
 * @throws {CliError} what `lockFile` throws, in the end; `interrupted`
 */
export async function lockFileWhenFree(path: string, signal: AbortSignal): Promise<() => void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return lockFile(path);
    } catch (error) {
      // Waiting does not help where the folder is not writable.
      if (!(error instanceof LockedError) || attempt >= lockTimeout.attempts) throw error;
    }
    if (signal.aborted) throw new CliError('interrupted', 'Interrupted. Nothing changed.');
    await setTimeout(lockTimeout.waitMs);
  }
}

/** Whether another process, or this one, has locked a file. */
export function isLocked(path: string): boolean {
  const lock = lockPath(path);
  const owner = readIfPossible(lock);
  return owner !== null && !isGone(owner, lock);
}

/** Returns the lock of a file, whatever links lead to it. */
function lockPath(path: string): string {
  try {
    return `${followLinks(path)}.lock`;
  } catch {
    // It is not accessible.
    return `${resolve(path)}.lock`;
  }
}

/** Creates a lock. Returns false if it exists: of several processes, one succeeds. */
function createLock(file: string, content: string): boolean {
  const hint = 'Nothing changed. Use a folder that you can write to.';
  const guard = <Result>(act: () => Result) =>
    attempt(act, 'file_unusable', 'Cannot create a file there', hint);
  guard(() => createFolder(dirname(file)));
  return guard(() => {
    try {
      writeFileSync(file, content, { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      // A full disk can leave it empty.
      if (hasCode(error, 'ENOSPC')) rmSync(file, { force: true });
      throw error;
    }
  });
}

/** Takes over the lock of a dead process, unless another process does. */
function takeOver(lock: string, owner: string, self: string): boolean {
  // Only the process that creates this file may remove the lock of that owner.
  const claim = `${lock}.${Number.parseInt(owner, 10) || 0}`;
  if (!createLock(claim, self)) return false;
  try {
    if (readIfPossible(lock) !== owner) return false;
    rmSync(lock, { force: true });
    return createLock(lock, self);
  } finally {
    rmSync(claim, { force: true });
  }
}

function readIfPossible(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Whether the owner of a lock is dead. The lock of another machine, or without a process, is kept. */
function isGone(owner: string, lock: string): boolean {
  // Killed before it could write its name.
  if (owner === '') {
    const createdAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    // A time in the future is from before the clock was set back.
    return Math.abs(Date.now() - createdAt) > maxEmptyLockMs;
  }
  const { pid, machine = hostname() } = parseOwner(owner);
  if (pid === undefined || machine !== hostname()) return false;
  // In a container every run may get the same process ID: then it is that of a killed process.
  if (owner === `${process.pid} ${machine}`) return !heldLocks.has(lock);
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

function parseOwner(owner: string): { pid?: string | undefined; machine?: string | undefined } {
  const [, pid, machine] = /^(\d{1,10})(?: (.+))?$/.exec(owner) ?? [];
  return { pid, machine };
}

function describeOwner(owner: string | null): string {
  const { pid, machine } = parseOwner(owner ?? '');
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  return machine ? `${who} on ${machine}` : who;
}
