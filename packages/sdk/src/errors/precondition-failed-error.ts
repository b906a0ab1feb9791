import { TradepostError } from './tradepost-error';

/** Thrown on 412: the order has changed since the `ETag` in `ifMatch` was read. */
export class PreconditionFailedError extends TradepostError {
  override readonly name = 'PreconditionFailedError' as const;
}
