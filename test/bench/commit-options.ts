/** How a SQLite store commits. Defaults to the store's own defaults. */
export interface CommitOptions {
  /** `full` waits until a commit is on disk; `off` leaves that to the system, and a crash of it loses orders. */
  synchronous?: 'full' | 'off';
  /** The most writes that share one commit. */
  largestGroup?: number;
}
