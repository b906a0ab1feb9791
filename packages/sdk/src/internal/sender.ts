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

/** Makes what sends the requests of one client: ofetch around its `fetch`, without its retries. */
export function senderOf(fetch: Fetch): Sender {
  let loading: Promise<Sender> | undefined;
  let loaded: Sender | undefined;
  return async (request, signal) => {
    loading ??= load(fetch);
    loaded ??= await loading;
    return loaded(request, signal);
  };
}

async function load(fetch: Fetch): Promise<Sender> {
  // Loaded here, not at the top: it touches the global fetch, which costs a program's start.
  const { createFetch } = await import('ofetch');
  return ({ url, method, headers, body }, signal) => {
    const { raw } = createFetch({
      // Takes the request from here, not from ofetch's options: its `Headers` cost too much.
      fetch: () =>
        fetch(url, {
          method,
          headers: { ...headers },
          ...(body === undefined ? {} : { body }),
          redirect: 'manual',
          signal,
        }) as Promise<Response>,
    });
    return raw(url, {
      method,
      retry: false,
      ignoreResponseError: true,
      // The body is left alone: it is read and parsed elsewhere, so that a bad one can be shown.
      responseType: 'stream',
    }).catch((error: Error) => {
      // ofetch's own error is about its options; what happened is underneath.
      throw error.cause ?? error;
    });
  };
}
