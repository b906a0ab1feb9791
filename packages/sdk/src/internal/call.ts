import type { RequestOptions } from '../request-options';

/** One call of the client: what to send, and how to read the answer. */
export interface Call<Result> {
  method: string;
  /** The path with its parameters filled in, without a query. */
  path: string;
  /** Query parameters; those that are undefined are left out. */
  query?: object;
  /** What to send as JSON. */
  body?: object;
  /** `If-Match` of a guarded change. */
  ifMatch?: string | undefined;
  options?: RequestOptions | undefined;
  /** Takes the result out of the parsed body; null when it is not there. */
  read(body: unknown): Result | null;
}
