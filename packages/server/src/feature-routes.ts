import type { AppRoute, AppRouter, ServerInferRequest, ServerInferResponses } from '@ts-rest/core';
import type { Caller } from './accounts/account';
import type { IdempotencyClaim } from './idempotency-claim';

/** What every handler is told beside the validated request. */
export interface Asked {
  /** Who asks: the account that the API key belongs to. */
  caller: Caller;
  /** The request's claim on its idempotency key; null when it sent none. */
  claim: IdempotencyClaim | null;
  /** Aborts when the client hangs up: nobody waits for the answer any more. */
  gone: AbortSignal;
  /**
   * Checks the caller's API key again. To be called before a response that has waited shows anything. Not
   * after a change: what is committed must not be reported as refused.
   *
   * @throws DomainError `invalid_api_key` when it was revoked or has expired since the request came in.
   */
  requireValidKey(): Promise<void>;
}

type Handler<Route extends AppRoute> = (
  request: ServerInferRequest<Route> & Asked,
) => Promise<ServerInferResponses<Route> & { headers?: Record<string, string> | undefined }>;

/** The handlers of one feature, one for each of its routes in the contract, free of Express. */
export type FeatureRoutes<Router extends AppRouter> = {
  [Name in keyof Router]: Router[Name] extends AppRoute ? Handler<Router[Name]> : never;
};
