import { TradepostError } from './tradepost-error';

/** Thrown when the caller's `signal` aborted; `cause` is the signal's reason. */
export class AbortError extends TradepostError {
  override readonly name = 'AbortError' as const;
}
