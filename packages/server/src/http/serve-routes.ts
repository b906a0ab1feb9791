import type { RouteNotes } from '@tradepost/contract';
import type { AppRoute, AppRouter } from '@ts-rest/core';
import type { AppRouteImplementation } from '@ts-rest/express';
import type { Request, Response } from 'express';
import type { Clock } from '../clock';
import type { Asked, FeatureRoutes } from '../feature-routes';
import type { Answer } from '../idempotency-claim';
import { callerOf, getKeyCheck } from './authenticate';
import { claimOf } from './idempotency';

interface TsRestInput {
  req: Request & { tsRestRoute: AppRoute };
  res: Response;
  params?: Record<string, string>;
  headers?: Record<string, unknown>;
  body?: unknown;
}

type Handle = (request: TsRestInput & Asked) => Promise<Partial<Answer>>;

/** The handlers of one feature as ts-rest wants them. */
type Served<Router extends AppRouter> = {
  [Name in keyof Router]: Router[Name] extends AppRoute
    ? AppRouteImplementation<Router[Name]>
    : never;
};

/** Aborts when the client hangs up before it was answered; it may have done so by now. */
function hangUpOf(res: Response): AbortSignal {
  if (res.closed) return AbortSignal.abort();
  const hangUp = new AbortController();
  res.once('close', () => hangUp.abort());
  return hangUp.signal;
}

/** Tells a feature's handlers who asks and on which idempotency key, and sends their answers' headers. */
export function serveRoutes<Router extends AppRouter>(
  routes: FeatureRoutes<Router>,
  clock: Clock,
): Served<Router> {
  const served = (Object.entries(routes) as [string, Handle][]).map(([name, handler]) => [
    name,
    async (input: TsRestInput) => {
      const caller = callerOf(input.res);
      const { operationId } = input.req.tsRestRoute.metadata as RouteNotes;
      const claim = claimOf(caller, operationId, input, clock.now());
      const answer = await handler({
        ...input,
        caller,
        claim,
        requireValidKey: getKeyCheck(input.res),
        // Few look at it, and an abort is dear: it keeps a stack.
        get gone() {
          return hangUpOf(input.res);
        },
      });
      input.res.set(answer.headers ?? {});
      return answer;
    },
  ]);
  return Object.fromEntries(served) as Served<Router>;
}
