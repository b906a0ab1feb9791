import type { RequestOptions } from '../request-options';

/** One call of the client: what to send, and how to read the answer. */
export interface Call<Result> {
  /** Method and path template, such as `/v1/orders/:id`. */
  endpoint: { method: string; path: string };
  /** What `:id` in the template stands for. */
  id?: string;
  /** Query parameters; those that are undefined are left out. */
  query?: object;
  /** What to send as JSON. */
  body?: object;
  /** `If-Match` of a guarded change. */
  ifMatch?: string | undefined;
  /**
   * Whether a repetition could undo what somebody else changed in between. Such a call is repeated
   * only when it is sure that the attempt had no effect.
   */
  mayUndo?: boolean;
  /** Seconds that the service may take before it begins to answer, on top of the limits. */
  waitSeconds?: number;
  /** Whether the interface does not have this call, so that a service may not have it either. */
  extension?: boolean;
  options?: RequestOptions | undefined;
  /** Takes the result out of the parsed body; null when it is not there. */
  read(body: unknown, status: number): Result | null;
}
