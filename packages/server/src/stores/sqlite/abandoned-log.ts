import { readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';

/** Returns the target of a symbolic link, which may be missing, or the path itself: SQLite's own files are beside the target. */
export function resolveLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The target of a link may have been moved away.
  }
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return path;
  }
}

/** Returns whether a file exists. Unlike `existsSync`, it throws if that may not be known, for example without permission. */
export function fileExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Returns whether a file exists and is not empty. */
function hasContent(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Checks that a missing or empty database has no log. SQLite would discard it, and with it the changes of the database to which
 * it belongs, which may be moved back, or still be open in a server.
 *
 * @throws StoreUnavailableError
 */
export function requireNoAbandonedLog(file: string): void {
  const log = `${resolveLink(file)}-wal`;
  if (hasContent(file) || !hasContent(log)) return;
  // Another process may just have created both: it writes to the database first.
  if (hasContent(file)) return;
  const isMissing = !fileExists(file);
  throw new StoreUnavailableError(
    `The database ${file} ${isMissing ? `does not exist, but ${log} does` : `is empty, but ${log} is not`}: it has changes of a database that was moved or deleted, perhaps under a running server. Put the file back. If it is lost, stop all servers that use it, then remove ${log}.`,
  );
}
