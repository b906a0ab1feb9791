import type { FetchOptions } from 'ofetch';
import type { Fetch } from '../tradepost-options';
import type { AnswerHeaders } from './answer';
import type { OutgoingRequest } from './compose-request';

/** An answer whose head has come. */
interface StartedAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  text(): Promise<string>;
}

/** Sends a request and resolves as soon as the answer's head has come. */
export type Sender = (request: OutgoingRequest, signal: AbortSignal) => Promise<StartedAnswer>;

/** Loads the part of ofetch that is used. */
type Load = () => Promise<Pick<typeof import('ofetch'), 'createFetch'>>;

/**
 * Makes what sends the requests of one client: ofetch around its `fetch`, without its retries. It is
 * loaded when it is first asked for, and asked for again after a failure.
 */
export function senderOf(
  fetch: Fetch,
  // Loaded here, not at the top: it touches the global fetch, which costs a program's start.
  load: Load = () => import('ofetch'),
): () => Promise<Sender> {
  let loading: Promise<Sender> | undefined;
  return () => {
    loading ??= load().then(
      ({ createFetch }) => around(fetch, createFetch),
      (error) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
}

function around(fetch: Fetch, createFetch: Awaited<ReturnType<Load>>['createFetch']): Sender {
  const { raw } = createFetch({
    // Takes the request from `init`, not from ofetch's own options: its `Headers` cost too much.
    fetch: (url, options) => fetch(String(url), (options as Carried).init) as Promise<Response>,
  });
  return ({ url, method, headers, body }, signal) => {
    const init = { method, headers: { ...headers }, redirect: 'manual', signal } as const;
    const carried: Carried & FetchOptions<'stream'> = {
      init: body === undefined ? init : { ...init, body },
      method,
      retry: false,
      ignoreResponseError: true,
      // The body is left alone: it is read and parsed elsewhere, so that a bad one can be shown.
      responseType: 'stream',
    };
    return raw(url, carried).catch(({ cause }: Error) => {
      // Never ofetch's own error: it shows its options, and with them the API key. What happened is
      // underneath, unless a custom fetch gave no reason.
      throw cause ?? new Error('fetch failed without a reason');
    });
  };
}

/** An option that ofetch hands through as it is. */
interface Carried {
  init: Parameters<Fetch>[1];
}
