import type { FetchOptions } from 'ofetch';
import { getErrorMessage } from '../error-message';
import { type ResponseHeaders, TradepostError } from '../errors';
import {
  type Attempt,
  type AttemptResult,
  createError,
  type OutgoingRequest,
  type RawResponse,
} from './attempt';
import type { AttemptReports } from './attempt-reports';
import { authorization, requestId as requestIdName } from './headers';
import { createFetch } from './ofetch';
import { readText, tooLarge } from './read-text';
import type { ResolvedOptions } from './resolved-options';

/** A response whose status and headers have arrived. */
interface StartedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body?: unknown;
  text(): Promise<string>;
}

/**
 * Sends one attempt and reads the whole response. Never rejects: every outcome is a value.
 *
 * @param attempt gets the request that was sent
 * @param stop ends sending and reading when it aborts
 */
export type Sender = (
  built: OutgoingRequest,
  attempt: Attempt,
  stop: AbortSignal,
) => Promise<AttemptResult>;

/** Creates the sender of one client. */
export function createSender(
  options: Pick<ResolvedOptions, 'authorize' | 'fetch' | 'fetchOptions' | 'maxResponseBytes'>,
  reports: AttemptReports,
): Sender {
  const { authorize, maxResponseBytes } = options;
  const send = wrapFetch(options);
  return async (built, attempt, stop) => {
    let request = built;
    try {
      if (authorize && built.headers[authorization] === undefined) {
        const value = await authorizeAttempt(attempt, authorize);
        request = { ...built, headers: { ...built.headers, [authorization]: value } };
      }
      // The time may be over; the hook must not run for this attempt when the next one has started.
      if (stop.aborted) return { kind: 'broken', cause: stop.reason };
      // A hook may be asynchronous, and may throw.
      const prepared = reports.prepare(attempt, request);
      if (prepared) request = await prepared;
    } catch (error) {
      return { kind: 'rejected', error: error as TradepostError };
    }
    // The time may be over before anything is sent.
    if (stop.aborted) return { kind: 'broken', cause: stop.reason };
    attempt.sent = request;
    reports.sent(attempt, request);
    let response: StartedResponse;
    try {
      response = await send(request, stop);
    } catch (error) {
      // Not the error of ofetch, because its options contain the API key. Its cause is the original error,
      // unless a custom fetch rejected without one.
      return toFailure((error as Error).cause ?? new Error('fetch failed without a reason'));
    }
    const { status, headers } = response;
    const head = { status, headers, requestId: headers.get(requestIdName) };
    try {
      const text = await readText(response, maxResponseBytes);
      return { kind: 'response', response: { ...head, text } };
    } catch (cause) {
      return toFailure(cause, head);
    }
  };
}

/** A custom `fetch` may have a timeout of its own, and may read the body itself. */
function toFailure(
  cause: unknown,
  response?: Omit<RawResponse, 'text'>,
): Awaited<ReturnType<Sender>> {
  const name = (cause as Error | null)?.name;
  if (name === tooLarge) return { kind: 'too_large', cause, response };
  return { kind: name === 'TimeoutError' ? 'fetch_timeout' : 'broken', cause };
}

/** Takes the place of the `Headers` that ofetch creates for each request and the client does not use. */
class NoHeaders {}

/** An option that ofetch passes through unchanged. */
interface ExtendedRequest {
  init: Parameters<ResolvedOptions['fetch']>[1];
}

/** Puts ofetch, without its own retries, around the client's `fetch`. */
function wrapFetch({
  fetch,
  fetchOptions,
  maxResponseBytes,
}: Pick<ResolvedOptions, 'fetch' | 'fetchOptions' | 'maxResponseBytes'>) {
  const { raw } = createFetch({
    // Uses the request in `init` instead of ofetch's own options, whose `Headers` are too slow.
    fetch: (url, options) =>
      fetch(String(url), (options as ExtendedRequest).init) as Promise<Response>,
    Headers: NoHeaders as unknown as typeof Headers,
  });
  return (
    { url, method, headers, body }: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<StartedResponse> => {
    const init = {
      ...fetchOptions,
      method,
      headers: { ...headers },
      redirect: 'manual',
      signal,
      maxResponseBytes,
    } as const;
    const options: ExtendedRequest & FetchOptions<'stream'> = {
      init: body === undefined ? init : { ...init, body },
      method,
      retry: false,
      ignoreResponseError: true,
      // Leaves the body unread: it is read and parsed elsewhere, so that messages can quote it.
      responseType: 'stream',
    };
    return raw(url, options);
  };
}

async function authorizeAttempt(
  attempt: Attempt,
  authorize: () => Promise<string>,
): Promise<string> {
  try {
    return await authorize();
  } catch (cause) {
    if (cause instanceof TradepostError) throw cause;
    const what = `was not sent, because the apiKey function threw: ${getErrorMessage(cause)}.`;
    throw createError(TradepostError, attempt, what, { code: 'hook_failed', cause });
  }
}
