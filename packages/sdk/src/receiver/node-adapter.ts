import { receiverHint } from '../webhooks/explain-failure';
import { concatBytes } from '../webhooks/raw-body';
import type { RawBody } from './delivery-handler';
import { idleMs, maxDiscardedBytes, maxDiscardMs } from './discard';
import { bodyParsed, bodyTooLarge, type Receive } from './receive';

/** A request of `node:http`, Express or a serverless host: the part of it that a receiver uses. */
export interface NodeRequest {
  /** The HTTP method, in upper case. */
  readonly method?: string | undefined;
  /** The headers, by lower-case name. */
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Whether the whole request has arrived. */
  readonly complete?: boolean | undefined;
  /** Whether the connection is closed, or the body was read to its end. */
  readonly destroyed?: boolean | undefined;
  /** Whether reading the body has started. */
  readonly readableDidRead?: boolean | undefined;
  /** Adds a listener to the stream of the body. */
  on(name: string, listener: (piece: Uint8Array | string) => void): unknown;
  /** Removes a listener. */
  removeListener(name: string, listener: (piece: Uint8Array | string) => void): unknown;
}

/** A response of `node:http` or Express: the part of it that a receiver uses. */
export interface NodeResponse {
  /** The HTTP status. */
  statusCode: number;
  /** Whether a response was already sent. */
  readonly headersSent: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Sends a part of the response. */
  write?(body: string): unknown;
  /** Sends the response. */
  end(body?: string): unknown;
}

/**
 * Creates the receiver for `node:http` and Express. It never calls `next`, and returns nothing: these hosts do not wait for a
 * promise, and a rejected one would end the process.
 */
export function nodeAdapter(receive: Receive) {
  const respond = async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    const { status, headers, body } = await receive({
      method: request.method,
      headers: request.headers,
      readBody: (limit) => readNodeBody(request, limit),
      isOpen: true,
    });
    // For example by a middleware with a timeout.
    if (response.headersSent) return;
    response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (!isUnread(request)) {
      response.end(body || undefined);
      return;
    }
    response.setHeader('Connection', 'close');
    response.setHeader('Content-Length', String(new TextEncoder().encode(body).length));
    // Closing the connection while the sender still writes would destroy the response before it is read.
    if (body && response.write && !request.destroyed) {
      response.write(body);
      await waitForEnd(request);
      response.end();
    } else {
      response.end(body || undefined);
    }
  };
  return (request: NodeRequest, response: NodeResponse): void => {
    respond(request, response).catch((error: unknown) => {
      console.error('The response to a delivery could not be sent:', error);
    });
  };
}

/** Waits until the sender has stopped, for a limited time. What it still sends is discarded. */
function waitForEnd(request: NodeRequest): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, idleMs);
    for (const name of ['end', 'error', 'close']) {
      request.on(name, () => {
        clearTimeout(timer);
        resolve();
      });
    }
  });
}

/** Whether the sender may still be sending. Then the connection cannot be reused. */
export function isUnread({ complete }: Pick<NodeRequest, 'complete'>): boolean {
  return complete === false;
}

/**
 * Reads the raw body of a request: from `rawBody` or `body` if a host or a parser kept it there, otherwise
 * from the stream, up to `limit` bytes. Null when the sender closed the connection before the end.
 *
 * @throws {WebhookVerificationError} `BODY_TOO_LARGE` or `BODY_ALREADY_PARSED`.
 */
export function readNodeBody(
  request: NodeRequest,
  limit: number,
): RawBody | Promise<RawBody | null> {
  for (const name of ['rawBody', 'body'] as const) {
    const body = findRawBody(request, name);
    if (body !== null) return body;
  }
  if (typeof request.on !== 'function' || request.readableDidRead) {
    throw bodyParsed(
      receiverHint(
        new Error().stack,
        'Put the receiver before any body parser, or keep the bytes in request.rawBody.',
      ),
    );
  }
  return readStream(request, limit);
}

function findRawBody(request: object, name: 'rawBody' | 'body'): RawBody | null {
  try {
    const value: unknown = Reflect.get(request, name);
    return typeof value === 'string' || value instanceof Uint8Array ? value : null;
  } catch {
    // Some hosts parse `body` in a getter, which throws when it is not JSON.
    return null;
  }
}

async function readStream(request: NodeRequest, limit: number): Promise<Uint8Array | null> {
  if (request.destroyed) return null;
  const pieces: Uint8Array[] = [];
  let length = 0;
  let isTooLarge = Number(request.headers['content-length']) > limit;
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let until: number | undefined;
    const rejectBody = () => {
      clearTimeout(timer);
      request.removeListener('data', add);
      reject(bodyTooLarge(limit));
    };
    // The rest of a body that is too large is read and discarded, as `discardRest` does.
    const waitForRest = () => {
      until ??= performance.now() + maxDiscardMs;
      clearTimeout(timer);
      timer = setTimeout(rejectBody, Math.min(idleMs, until - performance.now()));
    };
    const add = (piece: Uint8Array | string) => {
      const bytes = typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
      length += bytes.length;
      isTooLarge ||= length > limit;
      if (!isTooLarge) pieces.push(bytes);
      else if (length < limit + maxDiscardedBytes) waitForRest();
      else rejectBody();
    };
    const abandon = () => {
      clearTimeout(timer);
      resolve(null);
    };
    if (isTooLarge) waitForRest();
    request.on('data', add);
    request.on('end', () => (isTooLarge ? rejectBody() : resolve(concatBytes(pieces))));
    // Never removed, because an error without a listener would end the process.
    request.on('error', abandon);
    request.on('close', abandon);
  });
}
