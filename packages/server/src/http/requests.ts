import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Express, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import type { Clock } from '../kernel/context';
import { DomainError } from '../kernel/errors';
import { commonHeaders, sendProblem } from './problems';
import type { WithQueueTime } from './request-log';

const schemeAndAuthority = /^https?:\/\/[^/?#]*/i;

/**
 * Returns the path and query of a request target in any form. A server must accept whole URLs too, but Express would pass them
 * to a parser that throws for some. Source: RFC 9112, section 3.2.2.
 */
export function toOriginForm(target: string): string {
  const rest = target.replace(schemeAndAuthority, '');
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  // `*` and anything that is not an HTTP URL: there is no such path.
  return rest.startsWith('/') ? rest : `/${encodeURIComponent(rest)}`;
}

/** Passes requests on with their target in origin form. */
export function withOriginForm(listener: RequestListener): RequestListener {
  return (request, response) => {
    const { url = '/' } = request;
    if (!url.startsWith('/')) request.url = toOriginForm(url);
    listener(request, response);
  };
}

/** Rejects requests without exactly one Host header. Source: RFC 9112, section 3.2. */
export const requireHostHeader: RequestHandler = ({ rawHeaders, httpVersion }, _res, next) => {
  let hosts = 0;
  // rawHeaders alternates names and values, and contains repeated headers.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts !== 1 && httpVersion === '1.1') {
    throw new DomainError(
      'malformed_request',
      `An HTTP/1.1 request must have exactly one Host header, but this one has ${hosts}.`,
    );
  }
  next();
};

/** A request that may have been rejected because there are too many. */
interface Rejectable extends WithQueueTime {
  isRejected?: boolean;
}

/** Marks a request as rejected, which `respondIfRejected` reports to its client. */
export function markRejected(request: IncomingMessage & Rejectable): void {
  request.isRejected = true;
}

/** Responds with `overloaded` to requests that are marked as rejected. */
export const respondIfRejected: RequestHandler = (req: Request & Rejectable, res, next) => {
  if (!req.isRejected) return next();
  sendProblem(res, {
    code: 'overloaded',
    detail:
      'The service has more requests than it can handle in time. Nothing was changed. Wait for the time in Retry-After, then send the request again.',
  });
};

/** The options of `createServer` that set the classes of requests and responses. */
export interface MessageClasses {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse<IncomingMessage>;
}

/**
 * Creates classes for the requests and responses of an HTTP server that serves only this Express application.
 *
 * Express changes the prototype of each request and response to `app.request` and `app.response`. That makes every later use
 * of the object slow, in Node too: it costs several times as much as all the rest of Express. Objects that are created with
 * these prototypes are left as they are.
 */
export function createMessageClasses(app: Express): MessageClasses {
  class ApiRequest extends IncomingMessage implements Rejectable {
    isRejected = false;
    queuedMs = 0;
  }
  class ApiResponse extends ServerResponse {
    /** Sends JSON like Express, without what this application does not use: entity tags, settings, other encodings. */
    json(body: unknown): this {
      const text = JSON.stringify(body);
      this.setHeader('Content-Type', 'application/json; charset=utf-8');
      this.setHeader('Content-Length', Buffer.byteLength(text));
      return this.end(text);
    }
  }
  Object.setPrototypeOf(ApiRequest.prototype, app.request);
  Object.setPrototypeOf(ApiResponse.prototype, app.response);
  app.request = ApiRequest.prototype as unknown as typeof app.request;
  app.response = ApiResponse.prototype as unknown as typeof app.response;
  return {
    IncomingMessage: ApiRequest,
    ServerResponse: ApiResponse as typeof ServerResponse<IncomingMessage>,
  };
}

/** Returns the headers that helmet sets. They are the same for every response, so they are computed once. */
function readSecurityHeaders(): Record<string, string> {
  const recorded = new ServerResponse({ method: 'GET' } as Request);
  helmet()({} as Request, recorded as Response, (error?: unknown) => {
    if (error !== undefined) throw error;
  });
  return recorded.getHeaders() as Record<string, string>;
}

/** Sets the headers that are the same for every response. */
export function setConstantHeaders(): RequestHandler {
  const headers = Object.entries({ ...readSecurityHeaders(), ...commonHeaders });
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}

/** How long a turn of the event loop should take at most, in milliseconds. */
const turnTargetMs = 20;
/** How many requests are handled in one turn. The number follows from how long turns take. */
const share = { initial: 100, min: 8, max: 1_000, step: 8, factor: 0.8 };
/** Requests are rejected while the first one in the queue has waited longer than this, in milliseconds. */
export const maxQueueTimeMs = 500;

/** What an admission queue needs. */
export interface AdmissionOptions {
  clock: Clock;
  /** Handles a request that was admitted. */
  handle: RequestListener;
  /** Rejects a request because there are too many. Must take much less time than handling it. */
  reject: RequestListener;
  /** Returns whether a request is never queued or rejected, such as a probe of a supervisor. */
  isExempt: (request: IncomingMessage) => boolean;
  /** Returns for how long the oldest pending change has waited for the store, in milliseconds. */
  getWriteDelay: () => number;
}

interface QueuedRequest {
  request: IncomingMessage & Rejectable;
  response: ServerResponse;
  queuedAt: number;
}

/**
 * Admits as many requests as this thread can handle in time. Requests that arrive faster than they are handled wait in a queue,
 * where they cost nothing, so that each turn of the event loop stays short: whatever else happens in this thread, such as a
 * rejection, takes milliseconds. Once the queue is half a second behind, requests are rejected until it has caught up.
 */
export class AdmissionQueue {
  readonly #options: AdmissionOptions;
  #queue: QueuedRequest[] = [];
  #first = 0;
  #share = share.initial;
  #handled = 0;
  #turnStartedAt = 0;
  #isTurnOpen = false;
  #rejected = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** The number of requests that wait. */
  get length(): number {
    return this.#queue.length - this.#first;
  }

  /** How many requests were rejected since the start. */
  get rejected(): number {
    return this.#rejected;
  }

  /** Handles a request now, queues it or rejects it. */
  readonly listener: RequestListener = (request, response) => {
    const { clock, handle, reject, isExempt, getWriteDelay } = this.#options;
    const now = clock.elapsed();
    if (!this.#isTurnOpen) this.#openTurn(now);
    if (isExempt(request)) {
      handle(request, response);
    } else if (this.#isBehind(now) || (isChange(request) && getWriteDelay() > maxQueueTimeMs)) {
      this.#rejected += 1;
      reject(request, response);
    } else if (this.length === 0 && this.#handled < this.#share) {
      this.#handled += 1;
      handle(request, response);
    } else {
      this.#queue.push({ request, response, queuedAt: now });
    }
  };

  #isBehind(now: number): boolean {
    const first = this.#queue[this.#first];
    return first !== undefined && now - first.queuedAt > maxQueueTimeMs;
  }

  #openTurn(now: number): void {
    this.#handled = 0;
    this.#turnStartedAt = now;
    this.#isTurnOpen = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isTurnOpen = false;
    if (this.length === 0) return;
    const now = this.#options.clock.elapsed();
    this.#adjustShare(now - this.#turnStartedAt);
    this.#openTurn(now);
    while (this.length > 0 && this.#handled < this.#share) {
      const { request, response, queuedAt } = this.#queue[this.#first] as QueuedRequest;
      this.#queue[this.#first] = undefined as never;
      this.#first += 1;
      if (response.destroyed) continue;
      this.#handled += 1;
      request.queuedMs = this.#options.clock.elapsed() - queuedAt;
      this.#options.handle(request, response);
    }
    if (this.#first > this.#queue.length / 2) {
      this.#queue = this.#queue.slice(this.#first);
      this.#first = 0;
    }
  }

  /** The turn that took this long had all the work of its requests, also what they did after a wait for the store. */
  #adjustShare(turnMs: number): void {
    this.#share =
      turnMs > turnTargetMs
        ? Math.max(share.min, Math.floor(this.#share * share.factor))
        : Math.min(share.max, this.#share + share.step);
  }
}

function isChange({ method }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}
