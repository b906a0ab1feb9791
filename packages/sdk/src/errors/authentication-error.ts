import { TradepostError } from './tradepost-error';

/** Thrown on 401: there is no API key, or it is not valid (any more). */
export class AuthenticationError extends TradepostError {
  override readonly name = 'AuthenticationError' as const;
}
