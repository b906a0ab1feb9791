import { headerNames } from '@tradepost/contract/wire';

/** An answer that can be kept and given again: what a replayed idempotency key is answered with. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/**
 * A request's claim on an idempotency key. The store keeps it with the answer, in the transaction of
 * the effect; a second claim with the same fingerprint gets the kept answer, one with another is refused.
 */
export interface IdempotencyClaim {
  accountId: string;
  /** The contract's operation, such as `createOrder`: one key may serve several endpoints. */
  operation: string;
  key: string;
  /** SHA-256 of the validated body, and of the ids in the path if there are any, lowercase hex. */
  fingerprint: string;
  /** Until when the answer is kept, in milliseconds since 1970. */
  expiresAt: number;
}

/** What a claimed change came to: the answer, and whether it was given before. */
export interface Answered<Given extends Answer> {
  answer: Given;
  replayed: boolean;
}

/** Marks an answer that repeats the first answer to its key. */
export function markReplayed<Given extends Answer>(answer: Given): Given {
  return { ...answer, headers: { ...answer.headers, [headerNames.idempotentReplayed]: 'true' } };
}
