import type { AnyTradepostError } from '../errors/is-tradepost-error';

/** The headers of an answer: a small part of the web's `Headers`. */
export interface AnswerHeaders {
  /** The value of a header, whatever the case of its name; null when the answer has none. */
  get(name: string): string | null;
  /** Hands each header to the callback, value first, its name in lower case. */
  forEach(callback: (value: string, name: string) => void): void;
}

/** What a call answers beside its data. */
export interface Answer<Data> {
  /** What the call itself resolves to. */
  data: Data;
  /** The answer's HTTP status. */
  status: number;
  /** The answer's headers, such as the `ETag` of an order. */
  headers: AnswerHeaders;
  /** The request's id, as the service knows it; null when the answer names none. */
  requestId: string | null;
}

/** A call that succeeded, as `.safe()` tells it. */
export interface SafeSuccess<Data> extends Answer<Data> {
  /** Tells a success from a failure. */
  ok: true;
}

/** A call that failed, as `.safe()` tells it. */
export interface SafeFailure {
  /** Tells a success from a failure. */
  ok: false;
  /** What the call would have thrown. Its `name` tells the classes apart. */
  error: AnyTradepostError;
}

/** How a call ended: a union that `ok` tells apart. */
export type SafeResult<Data> = SafeSuccess<Data> | SafeFailure;

/** Makes a value of how an answer ended. The promise never rejects. */
export function safely<Data>(answer: Promise<Answer<Data>>): Promise<SafeResult<Data>> {
  return answer.then(
    (success) => ({ ok: true, ...success }),
    (error: AnyTradepostError) => ({ ok: false, error }),
  );
}
