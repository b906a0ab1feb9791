import { contract } from '@tradepost/contract';
import { createExpressEndpoints, initServer, type TsRestRequestHandler } from '@ts-rest/express';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { accountRoutes } from '../accounts/account-routes';
import type { Clock } from '../clock';
import { deliveryRoutes } from '../deliveries/delivery-routes';
import { sampleRoutes } from '../deliveries/sample-routes';
import { eventRoutes } from '../events/event-routes';
import { EventWaiters } from '../events/event-waiters';
import type { NewId } from '../ids';
import { notificationRoutes } from '../notifications/notification-routes';
import { orderRoutes } from '../orders/order-routes';
import type { Store } from '../store';
import type { WebhookPolicy } from '../webhooks/webhook-policy';
import { webhookRoutes } from '../webhooks/webhook-routes';
import { authenticate, authenticateAgain, refuseReadOnly } from './authenticate';
import { addHealthEndpoints } from './health';
import { logRequests } from './log-requests';
import { handleErrors, sendProblem } from './problems';
import { createRateLimiter } from './rate-limit';
import { readBody } from './read-body';
import { identifyRequest } from './request-id';
import { requireOneHost } from './require-one-host';
import { serveRoutes } from './serve-routes';
import { refuseMethods, refusePath } from './unknown-routes';
import { validationTrouble } from './validation-problem';

/** What the HTTP application is made of. */
export interface AppParts {
  store: Store;
  clock: Clock;
  newId: NewId;
  log: Logger;
  webhookPolicy: WebhookPolicy;
  /** How many requests one API key may make in a minute. */
  rateLimit: number;
  /** Whether the service has begun to shut down and takes no new requests. */
  isStopping: () => boolean;
  /** Whether answers are held to the contract too: for tests, since it costs time. */
  checkAnswers: boolean;
}

/** The HTTP application, and what ends with it. */
export interface App {
  app: Express;
  /** Answers at once those who wait for something to happen. */
  releaseWaits(): void;
  /** Ends its timers. */
  stop(): void;
}

/** The HTTP application: the contract's endpoints, and a problem for everything else. */
export function createApp(parts: AppParts): App {
  const { store, clock, newId, log } = parts;
  const limiter = createRateLimiter(parts.rateLimit, clock);
  const waiters = new EventWaiters(clock);
  store.onEvents((accountIds) => waiters.announce(accountIds));
  const app = express();
  app.set('etag', false);
  app.set('case sensitive routing', true);
  // Else /v1/orders/ and an id that turned out empty would list every order.
  app.set('strict routing', true);

  app.use(identifyRequest);
  app.use(logRequests(log));
  app.use(helmet());
  app.use(requireOneHost);
  app.use((req, res, next) => {
    // What may not be stored need not be asked for conditionally: Express would answer 304, which the
    // contract does not have.
    res.set('Cache-Control', 'no-store');
    delete req.headers['if-none-match'];
    delete req.headers['if-modified-since'];
    next();
  });
  addHealthEndpoints(app, parts);
  app.use((_req, res, next) => {
    if (!parts.isStopping()) return next();
    res.set('Connection', 'close');
    sendProblem(res, {
      code: 'shutting_down',
      detail: 'The service is shutting down. Send the request again shortly.',
    });
  });

  const router = initServer().router(contract, {
    orders: serveRoutes(orderRoutes(store.orders, clock, newId), clock),
    notifications: serveRoutes(notificationRoutes(store.notifications), clock),
    webhooks: serveRoutes(
      {
        ...webhookRoutes(store.webhooks, parts.webhookPolicy, clock, newId),
        ...sampleRoutes(store.deliveryLog, clock, newId),
      },
      clock,
    ),
    deliveries: serveRoutes(deliveryRoutes(store.deliveryLog, clock, newId), clock),
    events: serveRoutes(eventRoutes(store.events, waiters, clock), clock),
    account: serveRoutes(accountRoutes(store.accounts), clock),
  });
  // What each endpoint's own checks come after. None of it reads what ts-rest's types describe.
  const gate: RequestHandler[] = [
    authenticate(store.accounts, clock),
    limiter.limit,
    refuseReadOnly,
    ...readBody,
    authenticateAgain,
  ];
  createExpressEndpoints(contract, router, app, {
    logInitialization: false,
    responseValidation: parts.checkAnswers,
    globalMiddleware: gate as TsRestRequestHandler<typeof contract>[],
    requestValidationErrorHandler: (error, { params, query, headers, body }, res) =>
      sendProblem(res, validationTrouble(error, { pathParams: params, query, headers, body })),
  });
  refuseMethods(app, contract);
  app.use(refusePath);
  app.use(handleErrors(log));
  return { app, releaseWaits: () => waiters.release(), stop: limiter.stop };
}
