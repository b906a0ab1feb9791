import { receiverHint } from '../webhooks/explain-failure';
import type { RequestPayload } from '../webhooks/options';
import { readStream } from '../webhooks/raw-body';
import type { IncomingRequest } from './delivery-handler';
import { discardRest } from './discard';
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
    const reading = { isUnread: request.body !== null && !request.bodyUsed };
    const { status, headers, body } = await receive({
      method: request.method,
      headers: request.headers,
      readBody: (limit) => readRequestBody(request, limit, reading),
      isOpen: true,
      waitUntil: findWaitUntil(context),
    });
    // Hosts close a connection with an unread body; without this header, its next request would fail.
    if (reading.isUnread) headers.Connection = 'close';
    return new Response(body || null, { status, headers });
  };
}

/** @param reading gets whether a part of the body was left unread */
async function readRequestBody(
  { headers, body, bodyUsed }: FetchRequest,
  limit: number,
  reading: { isUnread: boolean },
): Promise<Uint8Array | null> {
  if (bodyUsed || body?.locked) {
    throw bodyParsed(
      receiverHint(
        new Error().stack,
        'Pass the Request before anything calls its json(), text() or clone().',
      ),
    );
  }
  const isDeclaredTooLarge = Number(headers.get('content-length')) > limit;
  let whole: Uint8Array | null;
  try {
    whole = await readStream(body, isDeclaredTooLarge ? -1 : limit, async (reader) => {
      reading.isUnread = !(await discardRest(reader));
    });
  } catch (error) {
    // Some hosts have a limit of their own, such as SvelteKit.
    if ((error as { status?: unknown } | null)?.status === 413) throw bodyTooLarge(limit);
    return null;
  }
  if (whole === null || isDeclaredTooLarge) throw bodyTooLarge(limit);
  reading.isUnread = false;
  return whole;
}

/** Finds `waitUntil` in the context. Hosts pass many kinds of contexts, and only this method matters. */
function findWaitUntil(context: unknown): IncomingRequest['waitUntil'] {
  const { waitUntil } = (context ?? {}) as { waitUntil?: unknown };
  return typeof waitUntil === 'function' ? (work) => waitUntil.call(context, work) : undefined;
}
