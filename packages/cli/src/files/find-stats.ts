import { type Stats, statSync } from 'node:fs';

/** What is at a path; null when there is nothing, or nobody can tell. */
export function findStats(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
