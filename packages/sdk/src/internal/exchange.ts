import type { TradepostError } from '../errors/tradepost-error';
import type { Attempt } from './attempt';
import type { AttemptEnd } from './attempt-end';
import type { OutgoingRequest } from './compose-request';
import { requestId as requestIdName } from './header-names';
import type { Sender } from './sender';
import type { Watch } from './watch';

/**
 * Sends a request and reads the whole answer. Never rejects: every end is a value.
 *
 * @param attempt learns what was sent
 * @param stop no longer sends, or reads, once it has aborted
 */
export async function exchange(
  composed: OutgoingRequest,
  attempt: Attempt,
  watch: Watch,
  sender: () => Promise<Sender>,
  stop: AbortSignal,
): Promise<AttemptEnd> {
  let request = composed;
  try {
    // A hook may take its time, or refuse by throwing a `TradepostError`.
    const prepared = watch.prepare(attempt, composed);
    if (prepared) request = await prepared;
  } catch (error) {
    return { kind: 'refused', error: error as TradepostError };
  }
  try {
    const send = await sender();
    // What was prepared or loaded too late is not sent at all.
    stop.throwIfAborted();
    attempt.sent = request;
    watch.sent(attempt, request);
    const response = await send(request, stop);
    const { status, headers } = response;
    const requestId = headers.get(requestIdName);
    return { kind: 'answer', answer: { status, headers, requestId, text: await response.text() } };
  } catch (cause) {
    return { kind: 'broken', cause };
  }
}
