/** What `begin` finds: not handled yet, handled, or being handled at this very moment. */
export type DedupeState = 'new' | 'done' | 'busy';

/**
 * Remembers which deliveries were handled, since a delivery may come more than once. The key is the
 * signed `webhook-id`; where the service signs none, the value of `Service-Signature`.
 *
 * A store that outlives the process must let go of a claim whose process died: let `begin` answer
 * `new` again when the claim is older than the longest run of a handler.
 */
export interface DedupeStore {
  /**
   * Claims a key in one atomic step. `new` makes the caller the one who handles it; every other
   * caller is told `busy` until `done` or `failed`. When it throws, the delivery is answered with
   * 500 and comes again.
   */
  begin(key: string): DedupeState | Promise<DedupeState>;
  /** The handler has done its work: `begin` answers `done` from now on. */
  done(key: string): unknown;
  /** The handler threw: `begin` answers `new` the next time. */
  failed(key: string): unknown;
}
