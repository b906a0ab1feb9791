import type { TradepostError } from '../errors/tradepost-error';
import type { AnswerHeaders } from './answer';
import type { OutgoingRequest } from './compose-request';
import { requestId as requestIdName } from './header-names';
import type { Sender } from './sender';

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
 * Sends a request once and reads the whole answer. Never rejects: every end is a value.
 *
 * @param prepare what to send: it may still take time, or refuse by throwing a `TradepostError`, and nothing else
 * @param timeout milliseconds for all of it
 */
export function sendOnce(
  prepare: () => OutgoingRequest | Promise<OutgoingRequest>,
  send: Sender,
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
    exchange(prepare, send, stop.signal).then(end, reject);
  });
}

async function exchange(
  prepare: () => OutgoingRequest | Promise<OutgoingRequest>,
  send: Sender,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  let request: OutgoingRequest;
  try {
    request = await prepare();
  } catch (error) {
    return { kind: 'refused', error: error as TradepostError };
  }
  try {
    // What was prepared too late is not sent at all.
    signal.throwIfAborted();
    const response = await send(request, signal);
    const { status, headers } = response;
    const requestId = headers.get(requestIdName);
    return { kind: 'answer', answer: { status, headers, requestId, text: await response.text() } };
  } catch (cause) {
    return { kind: 'broken', cause };
  }
}
