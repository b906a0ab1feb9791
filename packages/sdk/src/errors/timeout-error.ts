import { TradepostError } from './tradepost-error';

/** Thrown when an answer was not complete within `timeout`, or `deadline` was over. */
export class TimeoutError extends TradepostError {
  override readonly name = 'TimeoutError' as const;
}
