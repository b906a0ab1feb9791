import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { DomainError } from '@tradepost/domain/kernel/errors';
import { commonHeaders } from '@tradepost/domain/problems';
import type { Express, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
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
  class ApiRequest extends IncomingMessage implements WithQueueTime {
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
