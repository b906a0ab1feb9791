import { defaultMaxBytes, type Examined } from './examine';
import { rawBytes } from './raw-bytes';
import { readStream } from './read-stream';
import { type Refusal, refuse } from './refusal';
import type { RequestPayload, VerifyWebhookOptions } from './verify-webhook-options';

/** Takes the raw body out of what is not a text or a `Uint8Array` already. */
export async function readPayload(options: VerifyWebhookOptions): Promise<Examined | Refusal> {
  const { payload, maxBytes = defaultMaxBytes } = options;
  if (!isRequest(payload)) {
    const body = rawBytes(payload);
    return body === null ? refuse('BODY_PARSED') : { ...options, payload: body };
  }
  const body = await readRequest(payload, maxBytes);
  const { headers = payload.headers } = options;
  return 'refused' in body ? body : { ...options, headers, payload: body };
}

/** Reads the body of a web `Request`, up to `maxBytes`: never more of it is kept. */
async function readRequest(
  { body, bodyUsed, headers }: RequestPayload,
  maxBytes: number,
): Promise<Uint8Array | Refusal> {
  if (bodyUsed || body?.locked) return refuse('BODY_PARSED');
  if (Number(headers.get('content-length')) > maxBytes) return refuse('BODY_TOO_LARGE');
  return (await readStream(body, maxBytes)) ?? refuse('BODY_TOO_LARGE');
}

/** Tells whether a payload is a web `Request`, of whatever realm or polyfill. */
function isRequest(payload: unknown): payload is RequestPayload {
  return typeof payload === 'object' && payload !== null && 'bodyUsed' in payload;
}
