import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { contract, type RouteMetadata } from '@tradepost/contract';
import { LongPollRegistry } from '@tradepost/domain/events/announcements';
import type { Clock, IdGenerator } from '@tradepost/domain/kernel/context';
import { readIdempotencyKey, type StoredResponse } from '@tradepost/domain/kernel/idempotency';
import { toValidationProblem } from '@tradepost/domain/problems';
import type { RequestContext, RouteHandlers } from '@tradepost/domain/route-handlers';
import { createRoutes } from '@tradepost/domain/routes';
import type { WebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import type { AppRoute, AppRouter } from '@ts-rest/core';
import {
  type AppRouteImplementation,
  createExpressEndpoints,
  initServer,
  type TsRestRequestHandler,
} from '@ts-rest/express';
import type { Request, Response } from 'express';
import express, { type Express, type RequestHandler } from 'express';
import { KeyUsage, tokens } from '../kernel/api-key';
import type { Store } from '../stores/store';
import { addApiDocs, apiDocsPaths } from './api-docs/api-docs';
import { addConsole, consolePath } from './console/console';
import { allowOrigins } from './cors';
import { addHealthEndpoints, type Health } from './health';
import {
  authenticate,
  byKeys,
  getCaller,
  getKeyCheck,
  getSealer,
  readJsonBody,
  reauthenticate,
  rejectReadOnly,
} from './middleware';
import { rejectMethods, rejectPaths } from './not-found';
import { handleErrors, sendProblem } from './problems';
import { createRateLimiter } from './rate-limiter';
import { rejectOverloaded } from './rejection';
import { observeRequests, type RequestObserver } from './request-log';
import {
  createMessageClasses,
  type MessageClasses,
  requireHostHeader,
  setConstantHeaders,
} from './requests';
import { createSignInLimiter } from './sign-in-limiter';

/** Traces requests. Both handlers run in each traced request. */
export interface RequestTracer {
  /** Starts the trace of a request, and sets `res.locals.traceId` for its log line. Ends it with the response. */
  start: RequestHandler;
  /** Makes the trace the context of what follows. Runs after the body was read, because its events have other contexts. */
  resume: RequestHandler;
}

/** The dependencies of the HTTP application. */
export interface AppDependencies extends RequestObserver {
  clock: Clock;
  store: Store;
  newId: IdGenerator;
  webhookPolicy: WebhookPolicy;
  /** How many requests one API key may make in a minute. */
  rateLimit: number;
  /** How many all keys of an account may make together. @default five times `rateLimit` */
  accountRateLimit?: number | undefined;
  /** Whether the server is shutting down and rejects new requests. */
  isStopping: () => boolean;
  health: Health;
  /** Whether to serve the API reference and the OpenAPI documents. */
  docs: boolean;
  /** Whether to serve the console. */
  console: boolean;
  /** The origins of web pages that may call the API; `*` for all. */
  corsOrigins: readonly string[];
  /** Addresses and subnets of proxies whose `X-Forwarded-For` is believed, as Express expects them. */
  trustProxy: readonly string[];
  /** Whether to validate responses against the contract. For tests, because it costs time. */
  validateResponses: boolean;
  /** Called with the SHA-256 of the key of each authenticated request, and its account. */
  onAuthenticated: (keyHash: string, accountId: string) => void;
  /** None unless requests are traced. */
  tracer?: RequestTracer | undefined;
}

/** The HTTP application and how to stop it. */
export interface App {
  app: Express;
  /** Rejects a request because there are too many. */
  reject: RequestListener;
  /** Options for `createServer`: the classes of its requests and responses. */
  messageClasses: MessageClasses;
  /** Ends all long polls, so that they get their responses at once. */
  releaseLongPolls(): void;
  /** Stops its timers and stores what it remembers. Call it before the store is closed. */
  stop(): Promise<void>;
}

/** Creates the HTTP application: the contract's endpoints, the API reference, the console, and a problem for every other request. */
export function createApp(dependencies: AppDependencies): App {
  const { store, clock, log } = dependencies;
  const limiter = createRateLimiter(
    { perKey: dependencies.rateLimit, perAccount: dependencies.accountRateLimit },
    clock,
  );
  const signInLimiter = createSignInLimiter();
  const keyUsage = new KeyUsage(store.accounts.recordKeyUses, clock, log);
  const longPolls = new LongPollRegistry(clock);
  store.onEvents((accountIds) => longPolls.notify(accountIds));
  const rejectWhileStopping: RequestHandler = (_req, res, next) => {
    if (!dependencies.isStopping()) return next();
    res.set('Connection', 'close');
    sendProblem(res, {
      code: 'shutting_down',
      detail: 'The service is shutting down. Send the request again shortly.',
    });
  };
  const rejectPath = rejectPaths(dependencies);
  const app = express();
  app.set('etag', false);
  app.set('case sensitive routing', true);
  // Otherwise /v1/orders/ with an empty ID would list every order.
  app.set('strict routing', true);

  app.set('x-powered-by', false);
  if (dependencies.trustProxy.length > 0) app.set('trust proxy', dependencies.trustProxy);

  const first = [
    observeRequests(dependencies),
    setConstantHeaders(),
    ...(dependencies.corsOrigins.length > 0 ? [allowOrigins(dependencies.corsOrigins)] : []),
  ];
  app.use(first);
  if (dependencies.tracer) app.use(dependencies.tracer.start);
  app.use(requireHostHeader);
  if (dependencies.docs) {
    app.use(apiDocsPaths, rejectWhileStopping);
    addApiDocs(app, rejectPath);
  }
  if (dependencies.console) {
    app.use(consolePath, rejectWhileStopping);
    addConsole(app, rejectPath);
  }
  app.use(ignoreConditions);
  addHealthEndpoints(app, dependencies);
  app.use(rejectWhileStopping);

  const routes = createRoutes({ ...dependencies, longPolls, tokens });
  const router = initServer().router(contract, {
    orders: bindHandlers(routes.orders, clock),
    notifications: bindHandlers(routes.notifications, clock),
    webhooks: bindHandlers(routes.webhooks, clock),
    deliveries: bindHandlers(routes.deliveries, clock),
    events: bindHandlers(routes.events, clock),
    partners: bindHandlers(routes.partners, clock),
    account: bindHandlers(routes.account, clock),
    summary: bindHandlers(routes.summary, clock),
    keys: bindHandlers(routes.keys, clock),
    signInCodes: bindHandlers(routes.signInCodes, clock),
    sessions: bindHandlers(routes.sessions, clock),
  });
  // Runs before the validation of each endpoint. It does not read what the types of ts-rest describe.
  const middleware: RequestHandler[] = [
    byKeys(
      authenticate(store.accounts, clock, keyUsage, limiter, dependencies.onAuthenticated),
      signInLimiter.limit,
    ),
    byKeys(limiter.limit, pass),
    byKeys(rejectReadOnly, pass),
    readJsonBody,
    reauthenticate,
    ...(dependencies.tracer ? [dependencies.tracer.resume] : []),
  ];
  createExpressEndpoints(contract, router, app, {
    logInitialization: false,
    responseValidation: dependencies.validateResponses,
    globalMiddleware: middleware as TsRestRequestHandler<typeof contract>[],
    requestValidationErrorHandler: (error, { params, query, headers, body }, res) =>
      sendProblem(res, toValidationProblem(error, { pathParams: params, query, headers, body })),
  });
  rejectMethods(app, contract);
  app.use(rejectPath);
  app.use(handleErrors(log));
  return {
    app,
    reject: rejectOverloaded(first),
    messageClasses: createMessageClasses(app),
    releaseLongPolls: () => longPolls.release(),
    stop() {
      limiter.stop();
      signInLimiter.stop();
      return keyUsage.stop();
    },
  };
}

const pass: RequestHandler = (_req, _res, next) => next();

/**
 * Ignores the headers of conditional requests, because responses of the API must not be stored: Express would respond with 304,
 * which the contract does not have.
 */
const ignoreConditions: RequestHandler = ({ headers }, _res, next) => {
  for (const name of ['if-none-match', 'if-modified-since']) {
    // Deleting a header that is not there would also make the object slow.
    if (headers[name] !== undefined) delete headers[name];
  }
  next();
};

interface TsRestInput {
  req: Request & { tsRestRoute: AppRoute };
  res: Response;
  params?: Record<string, string>;
  headers?: Record<string, unknown>;
  body?: unknown;
}

type RouteHandler = (request: TsRestInput & RequestContext) => Promise<Partial<StoredResponse>>;

/** The handlers of one feature in the form that ts-rest expects. */
type BoundRoutes<Router extends AppRouter> = {
  [Name in keyof Router]: Router[Name] extends AppRoute
    ? AppRouteImplementation<Router[Name]>
    : never;
};

/** Returns a signal that aborts if the client disconnects before the response, or has done so already. */
function disconnectSignal(res: Response): AbortSignal {
  if (res.closed) return AbortSignal.abort();
  const controller = new AbortController();
  res.once('close', () => controller.abort());
  return controller.signal;
}

/** Returns the SHA-256 of a text in lowercase hex. */
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Passes the request context to a feature's handlers and sends the headers of their responses. */
export function bindHandlers<Router extends AppRouter>(
  routes: RouteHandlers<Router>,
  clock: Clock,
): BoundRoutes<Router> {
  const bound = (Object.entries(routes) as [string, RouteHandler][]).map(([name, handler]) => [
    name,
    async (input: TsRestInput) => {
      const caller = getCaller(input.res);
      const { operationId, keys } = input.req.tsRestRoute.metadata as RouteMetadata;
      const idempotencyKey =
        keys === 'none'
          ? null
          : readIdempotencyKey(caller, operationId, input, clock.now(), sha256);
      const response = await handler({
        ...input,
        caller,
        idempotencyKey,
        requireValidKey: getKeyCheck(input.res),
        ...getSealer(input.res),
        // Created on first use: few handlers need it, and an abort is expensive because it captures a stack.
        get signal() {
          return disconnectSignal(input.res);
        },
      });
      for (const [name, value] of Object.entries(response.headers ?? {})) {
        input.res.setHeader(name, value);
      }
      return response;
    },
  ]);
  return Object.fromEntries(bound) as BoundRoutes<Router>;
}
