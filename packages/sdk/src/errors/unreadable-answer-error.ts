import type { ProblemIssue } from '@tradepost/contract/wire';
import { TradepostError, type TradepostErrorDetails } from './tradepost-error';

/** What an `UnreadableAnswerError` tells besides. */
export interface UnreadableAnswerErrorDetails extends TradepostErrorDetails {
  /** What the `validate` option found. */
  errors?: readonly ProblemIssue[];
}

/**
 * Thrown when a 2xx answer is not what the contract says: no JSON of the service at all
 * (`unreadable_answer`; the message shows its first bytes), or what the `validate` option found
 * faults with (`contract_mismatch`). The request itself may have been carried out.
 */
export class UnreadableAnswerError extends TradepostError {
  override readonly name = 'UnreadableAnswerError' as const;
  /** What is wrong with the answer, field by field; empty unless the `validate` option looked. */
  readonly errors: ProblemIssue[];

  constructor(message: string, details: UnreadableAnswerErrorDetails) {
    super(message, details);
    this.errors = [...(details.errors ?? [])];
  }
}
