import { TradepostError } from './tradepost-error';

/** Thrown on 403: this kind of account, or this API key, may not do this. */
export class PermissionError extends TradepostError {
  override readonly name = 'PermissionError' as const;
}
