import {
  AuthenticationError,
  type ResponseHookEvent,
  Tradepost,
  type TradepostOptions,
} from '@tradepost/sdk';
import { useMemo } from 'react';
import { noteExtensions } from './extensions';
import { serviceUrl } from './location';
import { noteRejectedKey, useSession } from './session';

function noteResponse({ status, headers }: ResponseHookEvent): void {
  const type = headers.get('content-type') ?? '';
  noteExtensions(headers.get('tradepost-extensions'), status, type);
}

/** Options of all clients of this page. */
export const clientOptions: Omit<TradepostOptions, 'apiKey'> = {
  baseUrl: serviceUrl,
  // A person waits for it, and can try again.
  maxRetries: 1,
  timeout: 15_000,
  deadline: 30_000,
  fetchOptions: { credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer' },
  hooks: { onResponse: noteResponse },
};

/** Creates a client with a key. If the service does not accept it, the session of that key is over. */
export function createClient(apiKey: string): Tradepost {
  return new Tradepost({
    ...clientOptions,
    apiKey,
    hooks: {
      onResponse(response) {
        noteResponse(response);
        // A late response about an earlier key says nothing about the current one.
        if (response.status === 401) noteRejectedKey(apiKey);
      },
    },
  });
}

/** Returns the client of the session. Only for pages that need one. */
export function useClient(): Tradepost {
  const key = useSession()?.key ?? '-';
  return useMemo(() => createClient(key), [key]);
}

/** Returns whether a call failed because the session is over. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof AuthenticationError;
}
