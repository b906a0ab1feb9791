import { defaultMaxBytes, type Examined } from './examine';
import { rawBytes } from './raw-bytes';
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
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    length += value.length;
    // Also when maxBytes is no number: then nothing fits.
    if (!(length <= maxBytes)) {
      // Whether the sender hears of it does not matter here.
      reader?.cancel().catch(() => undefined);
      return refuse('BODY_TOO_LARGE');
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Tells whether a payload is a web `Request`, of whatever realm or polyfill. */
function isRequest(payload: unknown): payload is RequestPayload {
  return typeof payload === 'object' && payload !== null && 'bodyUsed' in payload;
}
