import type { FetchOptions } from 'ofetch';
import { type ResponseHeaders, TradepostError } from '../errors';
import {
  type Attempt,
  type AttemptResult,
  createError,
  getErrorMessage,
  type OutgoingRequest,
} from './attempt';
import { authorization, requestId as requestIdName } from './headers';
import type { Instrumentation } from './instrumentation';
import { onAbort } from './on-abort';
import type { ResolvedOptions } from './resolved-options';

/** A response whose status and headers have arrived. */
interface StartedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  text(): Promise<string>;
}

/** Sends a request. Resolves when the status and headers of the response have arrived. */
export type Sender = (request: OutgoingRequest, signal: AbortSignal) => Promise<StartedResponse>;

/** Loads the part of ofetch that is used. */
type Load = () => Promise<typeof import('./ofetch')>;

/**
 * Creates the sender of one client: ofetch around its `fetch`, without the retries of ofetch. ofetch is
 * loaded on the first call, and loaded again after a failure.
 */
export function createSender(
  options: Pick<ResolvedOptions, 'fetch' | 'fetchOptions'>,
  // A dynamic import, because its entry reads the global fetch, which slows down program start.
  load: Load = () => import('./ofetch'),
): () => Promise<Sender> {
  let loading: Promise<Sender> | undefined;
  return () => {
    loading ??= load().then(
      ({ createFetch }) => wrapFetch(options, createFetch),
      (error) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
}

/** Takes the place of the `Headers` that ofetch creates for each request and the client does not use. */
class NoHeaders {}

function wrapFetch(
  { fetch, fetchOptions }: Pick<ResolvedOptions, 'fetch' | 'fetchOptions'>,
  createFetch: Awaited<ReturnType<Load>>['createFetch'],
): Sender {
  const { raw } = createFetch({
    // Uses the request in `init` instead of ofetch's own options, whose `Headers` are too slow.
    fetch: (url, options) =>
      fetch(String(url), (options as ExtendedRequest).init) as Promise<Response>,
    Headers: NoHeaders as unknown as typeof Headers,
  });
  return ({ url, method, headers, body }, signal) => {
    const init = {
      ...fetchOptions,
      method,
      headers: { ...headers },
      redirect: 'manual',
      signal,
    } as const;
    const options: ExtendedRequest & FetchOptions<'stream'> = {
      init: body === undefined ? init : { ...init, body },
      method,
      retry: false,
      ignoreResponseError: true,
      // Leaves the body unread: it is read and parsed elsewhere, so that messages can quote it.
      responseType: 'stream',
    };
    return raw(url, options).catch(({ cause }: Error) => {
      // Not the error of ofetch, because its options contain the API key. Its cause is the original
      // error, unless a custom fetch rejected without one.
      throw cause ?? new Error('fetch failed without a reason');
    });
  };
}

/** An option that ofetch passes through unchanged. */
interface ExtendedRequest {
  init: Parameters<ResolvedOptions['fetch']>[1];
}

/**
 * Sends a request and reads the whole response. Never rejects: every outcome is a value.
 *
 * @param attempt gets the request that was sent
 * @param authorize returns the value of `Authorization`, if the request does not have it
 * @param stop ends sending and reading when it aborts
 */
export async function sendAttempt(
  built: OutgoingRequest,
  attempt: Attempt,
  instrumentation: Instrumentation,
  sender: () => Promise<Sender>,
  authorize: ResolvedOptions['authorize'],
  stop: AbortSignal,
): Promise<AttemptResult> {
  let request = built;
  try {
    if (authorize && built.headers[authorization] === undefined) {
      request = {
        ...built,
        headers: { ...built.headers, ...(await authorizeAttempt(attempt, authorize)) },
      };
    }
    // A hook may be asynchronous, and may throw.
    const prepared = instrumentation.prepare(attempt, request);
    if (prepared) request = await prepared;
  } catch (error) {
    return { kind: 'rejected', error: error as TradepostError };
  }
  let send: Sender;
  try {
    send = await sender();
  } catch (cause) {
    const what = `was not sent, because a file of @tradepost/sdk could not be loaded: ${getErrorMessage(cause)}. Check how this program is bundled and deployed.`;
    return {
      kind: 'rejected',
      error: createError(TradepostError, attempt, what, { code: 'load_failed', cause }),
    };
  }
  try {
    // The time may be over before anything is sent.
    if (stop.aborted) throw stop.reason;
    attempt.sent = request;
    instrumentation.sent(attempt, request);
    const response = await send(request, stop);
    const { status, headers } = response;
    const requestId = headers.get(requestIdName);
    const text = await response.text();
    return { kind: 'response', response: { status, headers, requestId, text } };
  } catch (cause) {
    return { kind: 'broken', cause };
  }
}

async function authorizeAttempt(
  attempt: Attempt,
  authorize: () => Promise<string>,
): Promise<Record<string, string>> {
  try {
    return { [authorization]: await authorize() };
  } catch (cause) {
    if (cause instanceof TradepostError) throw cause;
    const what = `was not sent, because the apiKey function threw: ${getErrorMessage(cause)}.`;
    throw createError(TradepostError, attempt, what, { code: 'hook_failed', cause });
  }
}

/**
 * Runs one attempt with a timeout, until the caller's signal aborts.
 *
 * @param run the attempt: sends the request and reads the whole response
 * @param timeout milliseconds for all of it
 */
export function withTimeout(
  run: (stop: AbortSignal) => Promise<AttemptResult>,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<AttemptResult> {
  return new Promise((resolve, reject) => {
    // One controller per attempt: an aborted signal would end the next attempt immediately.
    const stop = new AbortController();
    // A custom fetch may ignore its signal, so the first outcome counts.
    const end = (result: AttemptResult) => {
      clearTimeout(timer);
      stopListening();
      resolve(result);
    };
    const abort = () => {
      end({ kind: 'aborted', reason: signal?.reason });
      stop.abort(signal?.reason);
    };
    const stopListening = onAbort(signal, abort);
    const timer = setTimeout(() => {
      end({ kind: 'timeout', after: timeout });
      stop.abort();
    }, timeout);
    run(stop.signal).then(end, reject);
  });
}
