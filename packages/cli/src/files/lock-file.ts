import { readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, relative, resolve } from 'node:path';
import process from 'node:process';
import { CliError } from '../cli-error';
import { messageOf } from '../message-of';
import { hasCode } from './has-code';
import { makeFolder } from './make-folder';

/** Another process has a file: it can be waited for. */
export class LockedError extends CliError {}

/** A lock that says nothing for so many milliseconds belongs to nobody. */
const emptyFor = 10_000;

/** The locks that this process has, by their whole paths. */
const held = new Set<string>();

/**
 * Takes a file for this process alone, by a file beside it that names the process and its machine
 * (`FILE.lock`). That of a process of this machine which was killed is taken over.
 *
 * @returns what gives it back
 * @throws {CliError} a `LockedError` (`file_failed`) when another process has it, or had it a moment ago;
 * `file_refused` when no lock can be made there
 */
export function lockFile(path: string): () => void {
  const lock = `${wholePath(path)}.lock`;
  const self = `${process.pid} ${hostname()}`;
  if (!isMade(lock, self)) {
    const owner = readIfPossible(lock);
    const isOurs = owner !== null && isGone(owner, lock) && isTakenOver(lock, owner, self);
    if (!isOurs) throw lockedBy(owner, path);
  }
  held.add(lock);
  return () => {
    held.delete(lock);
    // A person may have deleted it, and another process have it by now.
    if (readIfPossible(lock) === self) rmSync(lock, { force: true });
  };
}

/** Whether the file could be made: of several that try at once, one makes it. */
function isMade(file: string, content: string): boolean {
  try {
    makeFolder(dirname(file));
  } catch (error) {
    throw notMade(error);
  }
  try {
    writeFileSync(file, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    // A full disk can leave it empty.
    if (hasCode(error, 'ENOSPC')) rmSync(file, { force: true });
    throw notMade(error);
  }
}

/** One name for one file, whatever links lead to it. One that is not there yet has its own name. */
function wholePath(path: string): string {
  for (const known of [path, dirname(path)]) {
    try {
      return resolve(realpathSync(known), relative(known, path));
    } catch {
      // It is not there, or not to be seen.
    }
  }
  return resolve(path);
}

/** Takes over the lock of a process that is gone, unless somebody else does or has done so. */
function isTakenOver(lock: string, owner: string, self: string): boolean {
  // Only who makes this file may remove the lock of that owner.
  const claim = `${lock}.${Number.parseInt(owner, 10) || 0}`;
  if (!isMade(claim, self)) return false;
  try {
    if (readIfPossible(lock) !== owner) return false;
    rmSync(lock, { force: true });
    return isMade(lock, self);
  } finally {
    rmSync(claim, { force: true });
  }
}

/** What a file says; null when it is gone, or belongs to another user. */
function readIfPossible(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/**
 * Whether there is no such process. That of another machine, and what names no process at all, is left
 * to a person to judge.
 */
function isGone(owner: string, lock: string): boolean {
  // Killed before it could say who it is: others have done so long since.
  if (owner === '') {
    const madeAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    // One that lies ahead is of before the clock was set back.
    return Math.abs(Date.now() - madeAt) > emptyFor;
  }
  const [, pid, machine = hostname()] = /^(\d{1,10})(?: (.+))?$/.exec(owner) ?? [];
  if (pid === undefined || machine !== hostname()) return false;
  // In a container every run may get the same number: then it is the number of one that was killed.
  if (owner === `${process.pid} ${machine}`) return !held.has(lock);
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

function lockedBy(owner: string | null, path: string): LockedError {
  const [, pid, machine] = /^(\d{1,10})(?: (.+))?$/.exec(owner ?? '') ?? [];
  const who = `${pid === undefined ? '' : `: process ${pid}`}${machine ? ` of ${machine}` : ''}`;
  return new LockedError(
    'file_failed',
    `another process is working on ${path}${who}`,
    `Try again once it has ended. If there is none, delete ${path}.lock and what begins with its name.`,
  );
}

function notMade(error: unknown): CliError {
  return new CliError(
    'file_refused',
    `no file can be made there: ${messageOf(error)}`,
    'Nothing was done. It takes a folder that you may write to.',
  );
}
