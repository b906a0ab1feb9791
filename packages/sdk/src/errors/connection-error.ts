import { TradepostError } from './tradepost-error';

/** Thrown when no answer came, or it broke off: refused, reset, unknown host, bad certificate. */
export class ConnectionError extends TradepostError {
  override readonly name = 'ConnectionError' as const;
}
