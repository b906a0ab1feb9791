import { TradepostError, type TradepostErrorDetails } from './tradepost-error';

/** Thrown on 5xx when the retries are used up: the service, or a proxy before it, failed. */
export class ServerError extends TradepostError {
  override readonly name = 'ServerError' as const;
  /** Seconds to wait before the next request, as `Retry-After` has it; null when it is not there. */
  readonly retryAfter: number | null;

  constructor(message: string, details: TradepostErrorDetails & { retryAfter: number | null }) {
    super(message, details);
    this.retryAfter = details.retryAfter;
  }
}
