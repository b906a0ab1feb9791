import { type CheckedDelivery, defaultMaxBytes } from './checks';
import type { RequestPayload, VerifyWebhookOptions } from './options';
import { fail, type VerificationFailure } from './verification-error';

/** Concatenates byte arrays. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Returns the raw body of a payload without copying its bytes. Null when the payload is not one. */
export function rawBytes(payload: unknown): string | Uint8Array | null {
  if (typeof payload === 'string') return payload;
  // Not `instanceof`, because both may come from another realm.
  if (ArrayBuffer.isView(payload)) {
    return new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength);
  }
  return /ArrayBuffer/.test(Object.prototype.toString.call(payload))
    ? new Uint8Array(payload as ArrayBuffer)
    : null;
}

/**
 * Reads the stream of a web `Request` up to a limit. Null when it has more bytes. The stream is never cancelled,
 * because that can close the connection that the response needs.
 *
 * @param onTooLarge what to do with the rest, before null is returned; by default it is left unread
 */
export async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  limit: number,
  onTooLarge?: (reader: ReadableStreamDefaultReader<Uint8Array>) => Promise<unknown>,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    length += value.length;
    // Also when the limit is NaN: then nothing fits.
    if (!(length <= limit)) {
      if (reader) await onTooLarge?.(reader);
      return null;
    }
    chunks.push(value);
  }
  return concatBytes(chunks);
}

/** Reads the raw body of a payload that is neither a text nor a `Uint8Array`. */
export async function readPayload(
  options: VerifyWebhookOptions,
): Promise<CheckedDelivery | VerificationFailure> {
  const { payload, maxBytes = defaultMaxBytes } = options;
  if (!isRequest(payload)) {
    const body = rawBytes(payload);
    return body === null ? fail('BODY_ALREADY_PARSED') : { ...options, payload: body };
  }
  const body = await readRequest(payload, maxBytes);
  const { headers = payload.headers } = options;
  return 'failure' in body ? body : { ...options, headers, payload: body };
}

/** Reads the body of a web `Request`, keeping `maxBytes` at most. */
async function readRequest(
  { body, bodyUsed, headers }: RequestPayload,
  maxBytes: number,
): Promise<Uint8Array | VerificationFailure> {
  if (bodyUsed || body?.locked) return fail('BODY_ALREADY_PARSED');
  if (Number(headers.get('content-length')) > maxBytes) return fail('BODY_TOO_LARGE');
  return (await readStream(body, maxBytes)) ?? fail('BODY_TOO_LARGE');
}

/** Whether a payload is a web `Request`, of any realm or polyfill. */
function isRequest(payload: unknown): payload is RequestPayload {
  return typeof payload === 'object' && payload !== null && 'bodyUsed' in payload;
}
