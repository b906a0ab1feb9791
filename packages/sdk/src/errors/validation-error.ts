import type { ProblemIssue } from '@tradepost/contract/wire';
import { TradepostError, type TradepostErrorDetails } from './tradepost-error';

/** Thrown on 400, 413, 415 and 422: the service refuses the request as it is. */
export class ValidationError extends TradepostError {
  override readonly name = 'ValidationError' as const;
  /** What was wrong, field by field; empty when the service named no field. */
  readonly errors: ProblemIssue[];

  constructor(message: string, details: TradepostErrorDetails) {
    super(message, details);
    const errors: unknown = this.problem?.errors;
    this.errors = Array.isArray(errors) ? errors.filter(isIssue) : [];
  }
}

/** A proxy or another service may put anything there. */
function isIssue(value: unknown): value is ProblemIssue {
  if (typeof value !== 'object' || value === null) return false;
  const { path, message } = value as Partial<ProblemIssue>;
  return typeof path === 'string' && typeof message === 'string';
}
