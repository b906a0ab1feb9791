import type { AccountRecord } from './market';

/** A request that a handler gets: authenticated, with a valid query, headers and body. */
export interface HandlerRequest {
  caller: AccountRecord;
  /** The value of `:id` in the path template; empty without one. */
  id: string;
  /** The query parameters, as they were sent. */
  query: Readonly<Record<string, string>>;
  /** Maximum number of items of a page. */
  limit: number;
  /** `If-Match`, if it was sent. */
  ifMatch: string | undefined;
  /** The parsed JSON body. */
  body: unknown;
  /** Aborts when the client no longer waits. */
  signal: AbortSignal | undefined;
}

/** A response of the mock, before it is serialized. */
export interface MockResponse {
  status: number;
  headers?: Record<string, string>;
  /** A JSON value. Undefined: no body. */
  body?: unknown;
}
