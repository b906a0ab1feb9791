import { joined } from './joined';

/**
 * Reads the stream of a web `Request` up to a limit; null when it has more bytes than that. Whoever
 * stops early leaves the rest alone: to cancel it can end the connection that the answer is to take.
 */
export async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    length += value.length;
    // Also when the limit is no number: then nothing fits.
    if (!(length <= limit)) return null;
    chunks.push(value);
  }
  return joined(chunks);
}
