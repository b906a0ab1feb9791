import { headerNames } from '@tradepost/contract/wire';
import { DomainError } from './errors';

/** A response that is stored with an idempotency key and replayed when the key is sent again. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/**
 * A request's idempotency key. The store saves it with the response, in the transaction of the change. A second request with
 * the same key and fingerprint gets the stored response; one with another fingerprint is rejected.
 */
export interface IdempotencyKey {
  accountId: string;
  /** The contract's operation, such as `createOrder`. One key may serve several endpoints. */
  operation: string;
  key: string;
  /** SHA-256 of the validated body and of the path parameters, if any, in lowercase hex. */
  fingerprint: string;
  /** When the stored response expires, in milliseconds since 1970. */
  expiresAt: number;
}

/** The response to a request with an idempotency key, and whether it is a replay. */
export interface IdempotentResult<Response extends StoredResponse> {
  response: Response;
  replayed: boolean;
}

/** Adds the header that marks a replayed response. */
export function withReplayedHeader<Response extends StoredResponse>(response: Response): Response {
  return {
    ...response,
    headers: { ...response.headers, [headerNames.idempotentReplayed]: 'true' },
  };
}

/** Creates the error for an idempotency key that belongs to another request. */
export function idempotencyKeyReused(): DomainError {
  return new DomainError(
    'idempotency_key_reused',
    'This Idempotency-Key was already used for another request: the path or the body differs. Use a new key for a new request, or send the same path and body to repeat the request.',
    [{ path: 'Idempotency-Key', message: 'belongs to another request' }],
  );
}

/** Creates the error for an idempotency key whose stored response was erased together with its webhook. */
export function responseErased(): DomainError {
  return new DomainError(
    'webhook_deleted',
    'The webhook of the first request with this Idempotency-Key was deleted and its secret was erased. Use a new key to create another webhook.',
  );
}
