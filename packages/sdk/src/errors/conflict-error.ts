import { TradepostError } from './tradepost-error';

/** Thrown on 409: an illegal transition, or too little of the listing left. */
export class ConflictError extends TradepostError {
  override readonly name = 'ConflictError' as const;
}
