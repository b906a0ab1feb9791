import type { TradepostError } from '../errors/tradepost-error';
import type { AnswerHeaders } from './answer';

/** An answer, read to its end. */
export interface IncomingAnswer {
  status: number;
  headers: AnswerHeaders;
  requestId: string | null;
  text: string;
}

/**
 * How an attempt ended: with an answer, by the caller's signal, by its timeout (in milliseconds),
 * with an error of the client itself before anything was sent, or broken off.
 */
export type AttemptEnd =
  | { kind: 'answer'; answer: IncomingAnswer }
  | { kind: 'aborted'; reason: unknown }
  | { kind: 'timeout'; after: number }
  | { kind: 'refused'; error: TradepostError }
  | { kind: 'broken'; cause: unknown };
