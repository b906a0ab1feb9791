/** What a single call may set for itself. */
export interface RequestOptions {
  /** Aborts the call at once, whether it sends, waits for an answer or waits to try again. */
  signal?: AbortSignal | undefined;
  /** Milliseconds that one attempt may take, its answer's body included. */
  timeout?: number | undefined;
  /** Milliseconds that all attempts and the waits between them may take together. */
  deadline?: number | undefined;
  /** How often a failed attempt is repeated at most. 0 switches retries off. */
  maxRetries?: number | undefined;
  /**
   * On a POST: the `Idempotency-Key` to send instead of a new random one. Two calls with one key
   * have one effect and one answer, for 24 hours: keep it to repeat a call after a crash.
   */
  idempotencyKey?: string | undefined;
  /** Headers to send besides, or instead of, the client's own. */
  headers?: Record<string, string> | undefined;
}
