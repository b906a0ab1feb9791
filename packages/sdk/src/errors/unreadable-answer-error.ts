import { TradepostError } from './tradepost-error';

/** Thrown when a 2xx answer is not what the contract says; the message shows its first bytes. */
export class UnreadableAnswerError extends TradepostError {
  override readonly name = 'UnreadableAnswerError' as const;
}
