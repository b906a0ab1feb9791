import type { Fetch } from '../tradepost-options';

/** A request, complete: what one attempt sends. */
export interface OutgoingRequest {
  url: string;
  method: string;
  headers: Headers;
  body: string | undefined;
}

/** An answer, read to its end. */
export interface IncomingAnswer {
  status: number;
  headers: { get(name: string): string | null };
  text: string;
}

/**
 * How an attempt ended: with an answer, by the caller's signal, by its timeout (in milliseconds), or
 * broken off.
 */
export type AttemptEnd =
  | { kind: 'answer'; answer: IncomingAnswer }
  | { kind: 'aborted'; reason: unknown }
  | { kind: 'timeout'; after: number }
  | { kind: 'broken'; cause: unknown; origin: string };

/**
 * Sends a request once and reads the whole answer. Never throws: every end is a value.
 *
 * @param timeout milliseconds for all of it
 */
export async function sendOnce(
  request: OutgoingRequest,
  fetch: Fetch,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<AttemptEnd> {
  // One of its own for each attempt: a signal that has aborted would stop the next one at once.
  const stop = new AbortController();
  const abort = () => stop.abort(signal?.reason);
  const timer = setTimeout(() => stop.abort(), timeout);
  signal?.addEventListener('abort', abort);
  // A custom fetch may be deaf to its signal; the call ends in time all the same.
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
  });
  try {
    const answer = await Promise.race([exchange(request, fetch, stop.signal), stopped]);
    return { kind: 'answer', answer };
  } catch (cause) {
    if (signal?.aborted) return { kind: 'aborted', reason: signal.reason };
    if (stop.signal.aborted) return { kind: 'timeout', after: timeout };
    return { kind: 'broken', cause, origin: new URL(request.url).origin };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

async function exchange(
  request: OutgoingRequest,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<IncomingAnswer> {
  // Loaded here, not at the top: it touches the global fetch, which costs a program's start.
  const { createFetch } = await import('ofetch');
  const { raw } = createFetch({
    fetch: async (url, init) =>
      (await fetch(String(url), {
        method: request.method,
        headers: Object.fromEntries(new Headers(init?.headers)),
        ...(request.body === undefined ? {} : { body: request.body }),
        redirect: 'manual',
        signal,
      })) as Response,
  });
  const response = await raw(request.url, {
    method: request.method,
    headers: request.headers,
    body: request.body,
    retry: false,
    ignoreResponseError: true,
    // The body is left alone: it is read and parsed here, so that a bad one can be shown.
    responseType: 'stream',
  }).catch((error: Error) => {
    // ofetch's own error carries the request's headers, and with them the API key.
    throw error.cause ?? error;
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
