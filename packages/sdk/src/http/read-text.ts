/**
 * The name of the error of a body that is larger than permitted. A custom `fetch` that reads the body itself may
 * reject with an error of this name.
 */
export const tooLarge = 'ResponseTooLargeError';

/** The part of a response that `readText` uses. */
export interface ReadableResponse {
  /** The body after decompression. Absent in a custom `fetch` that reads it itself. */
  readonly body?: unknown;
  text(): Promise<string>;
}

/**
 * Reads the body of a response as text, and stops when it is larger than the limit: a small compressed body can become
 * gigabytes. The connection is closed then.
 *
 * @param maxBytes counted after decompression
 * @throws {Error} named `ResponseTooLargeError`; what reading the body throws
 */
export async function readText(response: ReadableResponse, maxBytes: number): Promise<string> {
  const body = response.body as ReadableStream<Uint8Array> | null | undefined;
  // Some runtimes, such as React Native, have no streams, and a custom `fetch` may have read the body already.
  if (typeof body?.getReader !== 'function' || body.locked) {
    const text = await response.text();
    if (text.length > maxBytes) throw tooLargeError(maxBytes);
    return text;
  }
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      // Not awaited: a proxy may keep the connection open.
      reader.cancel().catch(() => undefined);
      throw tooLargeError(maxBytes);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Creates the error of a body that is larger than permitted. */
export function tooLargeError(maxBytes: number): Error {
  const error = new Error(`the response has more than ${maxBytes} bytes`);
  error.name = tooLarge;
  return error;
}
