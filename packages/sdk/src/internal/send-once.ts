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

/**
 * Lets one attempt go on for so long, and until the caller's signal stops it.
 *
 * @param exchange the attempt: sends the request and reads the whole answer
 * @param timeout milliseconds for all of it
 */
export function sendOnce(
  exchange: (stop: AbortSignal) => Promise<AttemptEnd>,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<AttemptEnd> {
  return new Promise((resolve, reject) => {
    // One of its own for each attempt: a signal that has aborted would stop the next one at once.
    const stop = new AbortController();
    // A custom fetch may be deaf to its signal; the first end counts all the same.
    const end = (how: AttemptEnd) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(how);
    };
    const abort = () => {
      end({ kind: 'aborted', reason: signal?.reason });
      stop.abort(signal?.reason);
    };
    signal?.addEventListener('abort', abort);
    const timer = setTimeout(() => {
      end({ kind: 'timeout', after: timeout });
      stop.abort();
    }, timeout);
    exchange(stop.signal).then(end, reject);
  });
}
