import { TradepostError } from '../errors/tradepost-error';

/** An error for a setting or an argument that cannot be right, thrown before anything is sent. */
export function invalidConfiguration(message: string): TradepostError {
  return new TradepostError(message, { code: 'invalid_configuration' });
}
