/**
 * Writes down what the client does. `console` is one, and so are most loggers' children. What a
 * method throws is ignored.
 */
export interface TradepostLogger {
  /** Each request that is sent, and each answer. */
  debug?(message: string, fields: object): void;
  /** Nothing today. */
  info?(message: string, fields: object): void;
  /** Each attempt that is repeated, and each call that failed. */
  warn?(message: string, fields: object): void;
  /** What a hook threw. */
  error?(message: string, fields: object): void;
}
