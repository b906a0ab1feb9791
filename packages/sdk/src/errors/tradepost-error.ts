import type { ProblemCode } from '@tradepost/contract/wire';
import type { Unrecognized } from '../unrecognized';
import type { Problem } from './problem';

/** Marks our errors across realms and across two installs of this package. */
export const errorBrand: unique symbol = Symbol.for('@tradepost/sdk.error');

/** Codes of failures that no problem of the service describes. */
export type ClientErrorCode =
  /** A setting or an argument cannot be right; nothing was sent. */
  | 'invalid_configuration'
  /** No answer came, or it broke off. */
  | 'connection_failed'
  /** No answer was complete in time. */
  | 'timeout'
  /** The caller's signal aborted. */
  | 'aborted'
  /** The answer was a redirect. */
  | 'redirected'
  /** A 2xx whose body is not the service's JSON. */
  | 'unreadable_answer'
  /** A 2xx that the `validate` option found faults with. */
  | 'contract_mismatch'
  /** A function of the caller's threw: the `onRequest` hook, or `validate`. */
  | 'hook_failed'
  /** Another status, and the body is no problem of the service: a proxy's page, perhaps. */
  | 'http_error';

/**
 * What kind of failure it is: the problem's own code, or one of the client's. The service may add
 * codes, so a `switch` needs a default.
 */
export type ErrorCode = ProblemCode | ClientErrorCode | Unrecognized;

/** What an error tells besides its message. What is left out is null. */
export interface TradepostErrorDetails {
  /** What kind of failure it is. */
  code: ErrorCode;
  /** The answer's HTTP status. */
  status?: number | null;
  /** The request's id, as the service knows it. */
  requestId?: string | null;
  /** The request's method. */
  method?: string | null;
  /** The request's path without its query. */
  path?: string | null;
  /** The problem that the service described. */
  problem?: Problem | null;
  /** Whether an attempt before the last may have been carried out. */
  mayBeDoneBefore?: boolean;
  /** The error underneath, or the reason of an abort. */
  cause?: unknown;
}

/**
 * The base of every error that the client throws. It is thrown itself for wrong settings
 * (`invalid_configuration`), for a redirect (`redirected`) and for a status without a class of
 * its own.
 */
export class TradepostError extends Error {
  override readonly name: string = 'TradepostError';
  /** What kind of failure it is. Decide on this, not on texts. */
  readonly code: ErrorCode;
  /** The answer's HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** The id of the last request, as the service knows it: name it when you ask for help. */
  readonly requestId: string | null;
  /** The request's method; null when the failure came before a request. */
  readonly method: string | null;
  /** The request's path without its query; null when the failure came before a request. */
  readonly path: string | null;
  /** The problem that the service described; null when it described none. */
  readonly problem: Problem | null;
  /**
   * Whether an attempt of the call before the last one may have been carried out, although no answer
   * said so: whatever this error says of the last one, a change may have been made.
   */
  readonly mayBeDoneBefore: boolean;

  constructor(message: string, details: TradepostErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.status = details.status ?? null;
    this.requestId = details.requestId ?? null;
    this.method = details.method ?? null;
    this.path = details.path ?? null;
    this.problem = details.problem ?? null;
    this.mayBeDoneBefore = !!details.mayBeDoneBefore;
    Object.defineProperty(this, errorBrand, { value: true });
  }
}
