import { TradepostError, type TradepostErrorDetails } from './tradepost-error';

/** Thrown when no answer came, or it broke off: refused, reset, unknown host, bad certificate. */
export class ConnectionError extends TradepostError {
  override readonly name = 'ConnectionError' as const;
  /**
   * Whether it is sure that the last attempt was not sent. False also when the runtime does not say, as
   * browsers never do.
   */
  readonly neverSent: boolean;

  constructor(message: string, details: TradepostErrorDetails & { neverSent: boolean }) {
    super(message, details);
    this.neverSent = details.neverSent;
  }
}
