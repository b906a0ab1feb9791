import { TradepostError } from './tradepost-error';

/** Thrown on 404: there is no such thing, or this account may not see it. */
export class NotFoundError extends TradepostError {
  override readonly name = 'NotFoundError' as const;
}
