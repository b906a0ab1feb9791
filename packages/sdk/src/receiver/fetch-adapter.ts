import { readStream } from '../webhooks/read-stream';
import type { RequestPayload } from '../webhooks/verify-webhook-options';
import type { Incoming } from './incoming';
import { bodyParsed, bodyTooLarge } from './raw-body-faults';
import type { Receive } from './receive';

/** A web `Request`, as far as a receiver looks at it. */
export interface FetchRequest extends RequestPayload {
  /** The HTTP method, in capitals. */
  readonly method: string;
}

/** Makes the receiver's form for hosts that take a web `Request` and want a `Response`. */
export function fetchAdapter(
  receive: Receive,
): (request: FetchRequest, context?: unknown) => Promise<Response> {
  return async (request, context) => {
    const { status, headers, body } = await receive({
      method: request.method,
      headers: request.headers,
      readBody: (limit) => readRequestBody(request, limit),
      goesOn: true,
      waitUntil: waitUntilOf(context),
    });
    return new Response(body || null, { status, headers });
  };
}

async function readRequestBody(
  { headers, body, bodyUsed }: FetchRequest,
  limit: number,
): Promise<Uint8Array | null> {
  if (bodyUsed || body?.locked) {
    throw bodyParsed('pass the Request on before anything calls its json(), text() or clone()');
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

/** Hosts pass all sorts of things beside the request; only this one matters. */
function waitUntilOf(context: unknown): Incoming['waitUntil'] {
  const { waitUntil } = (context ?? {}) as { waitUntil?: unknown };
  return typeof waitUntil === 'function' ? (work) => waitUntil.call(context, work) : undefined;
}
