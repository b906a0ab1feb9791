import type { AppRoute, AppRouter, ServerInferRequest, ServerInferResponses } from '@ts-rest/core';
import type { Caller } from './accounts/account';
import type { IdempotencyKey } from './kernel/idempotency';

/** What every handler receives in addition to the validated request. */
export interface RequestContext {
  /** The account that the API key belongs to. Missing on a route that needs none, whose handler must not read it. */
  caller: Caller;
  /** Null if the request has no idempotency key. */
  idempotencyKey: IdempotencyKey | null;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /**
   * Checks the caller's API key again. Call it before a delayed response returns data. Do not call it after a change: a
   * committed change must not be reported as rejected.
   *
   * @throws DomainError `invalid_api_key` if the key was revoked or has expired since the request arrived.
   */
  requireValidKey(): Promise<void>;
  /** Encrypts a text with the caller's API key, so that who has the store alone cannot read it. */
  seal(text: string): string;
  /** Decrypts what `seal` returned; null if another key encrypted it. */
  unseal(sealed: string): string | null;
}

type Handler<Route extends AppRoute> = (
  request: ServerInferRequest<Route> & RequestContext,
) => Promise<ServerInferResponses<Route> & { headers?: Record<string, string> | undefined }>;

/** The handlers of one feature, one for each of its routes in the contract. They do not depend on Express. */
export type RouteHandlers<Router extends AppRouter> = {
  [Name in keyof Router]: Router[Name] extends AppRoute ? Handler<Router[Name]> : never;
};
