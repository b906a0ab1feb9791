import { rawBodyAdvice } from '../webhooks/raw-body-advice';
import { gatherBody } from './gather-body';
import type { RawBody } from './incoming';
import { bodyParsed } from './raw-body-faults';
import type { Receive } from './receive';

/** A request of `node:http`, of Express or of a serverless host, as far as a receiver looks at it. */
export interface NodeRequest {
  /** The HTTP method, in capitals. */
  readonly method?: string | undefined;
  /** The headers, their names in lower case. */
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Whether all of the request has arrived. */
  readonly complete?: boolean | undefined;
  /** Whether the connection is gone, or the body has been read to its end. */
  readonly destroyed?: boolean | undefined;
  /** Whether somebody has begun to read the body. */
  readonly readableDidRead?: boolean | undefined;
  /** Listens to the stream of the body. */
  on(name: string, listener: (piece: Uint8Array | string) => void): unknown;
  /** Stops to listen. */
  removeListener(name: string, listener: (piece: Uint8Array | string) => void): unknown;
}

/** An answer of `node:http` or Express, as far as a receiver touches it. */
export interface NodeResponse {
  /** The HTTP status. */
  statusCode: number;
  /** Whether somebody else has answered already. */
  readonly headersSent: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Sends the answer. */
  end(body?: string): unknown;
}

/** Makes the receiver's form for `node:http` and Express. It never calls a `next`. */
export function nodeAdapter(receive: Receive) {
  return async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    const { status, headers, body } = await receive({
      method: request.method,
      headers: request.headers,
      readBody: (limit) => readNodeBody(request, limit),
      goesOn: true,
    });
    // Such as a middleware that keeps a time limit.
    if (response.headersSent) return;
    response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (isUnread(request)) response.setHeader('Connection', 'close');
    response.end(body || undefined);
  };
}

/** Tells whether a sender may still be sending: its connection is then of no more use. */
export function isUnread({ complete }: Pick<NodeRequest, 'complete'>): boolean {
  return complete === false;
}

/**
 * Takes the raw body of a request: what a host or a parser left of it in `rawBody` or `body`, or
 * else the stream, up to `limit` bytes. Null when the sender went away.
 *
 * @throws {WebhookVerificationError} `BODY_TOO_LARGE` or `BODY_PARSED`.
 */
export function readNodeBody(
  request: NodeRequest,
  limit: number,
): RawBody | Promise<RawBody | null> {
  for (const name of ['rawBody', 'body'] as const) {
    const kept = rawPropertyOf(request, name);
    if (kept !== null) return kept;
  }
  if (typeof request.on !== 'function' || request.readableDidRead) {
    throw bodyParsed(
      `put the receiver before what parses bodies, or keep the bytes in request.rawBody. ${rawBodyAdvice(new Error().stack)}`,
    );
  }
  return readStream(request, limit);
}

function rawPropertyOf(request: object, name: 'rawBody' | 'body'): RawBody | null {
  try {
    const value: unknown = Reflect.get(request, name);
    return typeof value === 'string' || value instanceof Uint8Array ? value : null;
  } catch {
    // Some hosts parse when they are asked for `body`, and throw when it is not JSON.
    return null;
  }
}

async function readStream(request: NodeRequest, limit: number): Promise<Uint8Array | null> {
  if (request.destroyed) return null;
  const gathered = gatherBody(limit, request.headers['content-length']);
  return new Promise((resolve, reject) => {
    const take = (piece: Uint8Array | string) => {
      try {
        gathered.add(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
      } catch (error) {
        // What still comes is thrown away.
        request.removeListener('data', take);
        reject(error);
      }
    };
    const lose = () => resolve(null);
    request.on('data', take);
    request.on('end', () => resolve(gathered.whole()));
    // Stays on: an error that nobody listens to would end the process.
    request.on('error', lose);
    request.on('close', lose);
  });
}
