import type { Bytes } from './claim';
import { bytesOf } from './text-bytes';
import { WebhookVerificationError } from './webhook-verification-error';

/**
 * The bytes of a payload. Bytes are taken as they are, without a copy.
 *
 * @throws {WebhookVerificationError} `BODY_PARSED` for everything that is not a raw body.
 */
export function rawBody(payload: unknown): Bytes {
  if (typeof payload === 'string') return bytesOf(payload);
  if (ArrayBuffer.isView(payload)) {
    return new Uint8Array(payload.buffer as ArrayBuffer, payload.byteOffset, payload.byteLength);
  }
  // Not `instanceof`: the buffer may come from another realm.
  if (Object.prototype.toString.call(payload) === '[object ArrayBuffer]') {
    return new Uint8Array(payload as ArrayBuffer);
  }
  throw new WebhookVerificationError(
    'BODY_PARSED',
    `payload must be the raw body as string, Uint8Array or ArrayBuffer, not ${typeof payload}: take it before a parser does, in Express with express.raw({ type: 'application/json' }), from a Request with await request.text()`,
  );
}
