import { TradepostError, type TradepostErrorDetails } from './tradepost-error';

/** Thrown on 429 when the retries are used up, or the deadline leaves no time to wait. */
export class RateLimitError extends TradepostError {
  override readonly name = 'RateLimitError' as const;
  /** Seconds to wait before the next request, as `Retry-After` has it; null when it is not there. */
  readonly retryAfter: number | null;

  constructor(message: string, details: TradepostErrorDetails & { retryAfter: number | null }) {
    super(message, details);
    this.retryAfter = details.retryAfter;
  }
}
