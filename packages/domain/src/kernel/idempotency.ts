import { headerNames, idempotencyKeyLifetime } from '@tradepost/contract/wire';
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
  /** Identifies the validated body and the path parameters, if any; in the server a SHA-256 in lowercase hex. */
  fingerprint: string;
  /** When the stored response expires, in milliseconds since 1970. */
  expiresAt: number;
}

/**
 * Returns the idempotency key of a request; null if it has none.
 *
 * @param request The validated request, so that equivalent bodies have the same fingerprint.
 * @param now Milliseconds since 1970.
 * @param hash Returns what identifies a text, such as its SHA-256.
 */
export function readIdempotencyKey(
  { accountId }: { accountId: string },
  operation: string,
  request: { params?: Record<string, string>; headers?: Record<string, unknown>; body?: unknown },
  now: number,
  hash: (text: string) => string,
): IdempotencyKey | null {
  const key = request.headers?.['idempotency-key'];
  if (typeof key !== 'string') return null;
  const { params = {}, body } = request;
  // A key that was used for one resource must not replay that response for another.
  const identity = Object.keys(params).length === 0 ? body : [params, body];
  const fingerprint = hash(JSON.stringify(identity));
  const expiresAt = now + idempotencyKeyLifetime * 1_000;
  return { accountId, operation, key, fingerprint, expiresAt };
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
