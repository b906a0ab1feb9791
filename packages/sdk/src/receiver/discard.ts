/** How much of a body that is too large is read to its end, in bytes. */
export const maxDiscardedBytes = 16_777_216;

/** A sender that sends nothing for this time gets its response, in milliseconds. */
export const idleMs = 500;

/** The whole time for which a body is discarded, in milliseconds: a sender may send a byte now and then. */
export const maxDiscardMs = 5_000;

/**
 * Reads the rest of a body and discards it, so that the sender reads the response instead of failing while it
 * writes, and the connection stays usable. It gives up after 16 MiB, after five seconds, or when nothing
 * arrives for half a second.
 *
 * @returns whether the end was reached
 */
export async function discardRest(
  reader: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>,
): Promise<boolean> {
  const until = performance.now() + maxDiscardMs;
  try {
    for (let length = 0; length < maxDiscardedBytes && performance.now() < until; ) {
      const result = await readInTime(reader);
      if (!result) return false;
      if (result.done) return true;
      length += result.value.length;
    }
  } catch {
    // The sender is gone.
  }
  return false;
}

/** Reads a piece. Undefined when none arrives in time. */
function readInTime(reader: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const idle = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), idleMs);
  });
  return Promise.race([reader.read(), idle]).finally(() => clearTimeout(timer));
}
