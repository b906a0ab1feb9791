import type { AbortError } from './abort-error';
import type { AuthenticationError } from './authentication-error';
import type { ConflictError } from './conflict-error';
import type { ConnectionError } from './connection-error';
import type { NotFoundError } from './not-found-error';
import type { PermissionError } from './permission-error';
import type { PreconditionFailedError } from './precondition-failed-error';
import type { RateLimitError } from './rate-limit-error';
import type { ServerError } from './server-error';
import type { TimeoutError } from './timeout-error';
import { errorBrand, type TradepostError } from './tradepost-error';
import type { UnreadableAnswerError } from './unreadable-answer-error';
import type { ValidationError } from './validation-error';

/** Every error of the client as a union that its `name` tells apart. */
export type AnyTradepostError =
  | AbortError
  | AuthenticationError
  | ConflictError
  | ConnectionError
  | NotFoundError
  | PermissionError
  | PreconditionFailedError
  | RateLimitError
  | ServerError
  | TimeoutError
  | UnreadableAnswerError
  | ValidationError
  | (TradepostError & { readonly name: 'TradepostError' });

/**
 * Tells whether a caught value is an error of this client, also when another install or another
 * realm threw it, where `instanceof` says no. Afterwards `error.name` tells the classes apart.
 */
export function isTradepostError(value: unknown): value is AnyTradepostError {
  return typeof value === 'object' && value !== null && errorBrand in value;
}
