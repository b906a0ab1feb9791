import { receiverHint } from '../webhooks/explain';
import type { RequestPayload } from '../webhooks/options';
import { readStream } from '../webhooks/raw-body';
import type { IncomingRequest } from './delivery-handler';
import { bodyParsed, bodyTooLarge, type Receive } from './receive';

/** A web `Request`: the part of it that a receiver uses. */
export interface FetchRequest extends RequestPayload {
  /** The HTTP method, in upper case. */
  readonly method: string;
}

/** Creates the receiver for hosts that take a web `Request` and return a `Response`. */
export function fetchAdapter(
  receive: Receive,
): (request: FetchRequest, context?: unknown) => Promise<Response> {
  return async (request, context) => {
    let isUnread = request.body !== null && !request.bodyUsed;
    const { status, headers, body } = await receive({
      method: request.method,
      headers: request.headers,
      async readBody(limit) {
        const whole = await readRequestBody(request, limit);
        isUnread = false;
        return whole;
      },
      isOpen: true,
      waitUntil: findWaitUntil(context),
    });
    // Hosts close a connection with an unread body; without this header, its next request would fail.
    if (isUnread) headers.Connection = 'close';
    return new Response(body || null, { status, headers });
  };
}

async function readRequestBody(
  { headers, body, bodyUsed }: FetchRequest,
  limit: number,
): Promise<Uint8Array | null> {
  if (bodyUsed || body?.locked) {
    throw bodyParsed(
      receiverHint(
        new Error().stack,
        'Pass the Request before anything calls its json(), text() or clone().',
      ),
    );
  }
  if (Number(headers.get('content-length')) > limit) throw bodyTooLarge(limit);
  let whole: Uint8Array | null;
  try {
    whole = await readStream(body, limit);
  } catch {
    return null;
  }
  if (whole === null) throw bodyTooLarge(limit);
  return whole;
}

/** Finds `waitUntil` in the context. Hosts pass many kinds of contexts, and only this method matters. */
function findWaitUntil(context: unknown): IncomingRequest['waitUntil'] {
  const { waitUntil } = (context ?? {}) as { waitUntil?: unknown };
  return typeof waitUntil === 'function' ? (work) => waitUntil.call(context, work) : undefined;
}
