/** The part of `fetch` that the client of the SDK uses. */
type Send<Init, Response> = (url: string, init: Init) => Promise<Response>;

/**
 * Waits that take no time: as soon as no request is in flight, time advances to the end of the shortest wait.
 *
 * @param now milliseconds
 * @param advance advances the clock by some milliseconds
 */
export function createIdleWaits(now: () => number, advance: (milliseconds: number) => void) {
  const pending = new Set<{ until: number; done: () => void }>();
  let inFlight = 0;
  let check: NodeJS.Immediate | undefined;

  function advanceWhenIdle(rounds = 3): void {
    clearImmediate(check);
    // A response may be followed by the next request, a few turns of the event loop later.
    check = setImmediate(() => {
      if (inFlight > 0 || pending.size === 0) return;
      if (rounds > 0) return advanceWhenIdle(rounds - 1);
      const until = Math.min(...[...pending].map((wait) => wait.until));
      advance(Math.max(0, until - now()));
      for (const wait of pending) if (wait.until <= now()) wait.done();
      advanceWhenIdle();
    });
  }

  return {
    /** How many waits have not ended. */
    get waiting() {
      return pending.size;
    },
    wait: (milliseconds: number, signal: AbortSignal | undefined) =>
      new Promise<void>((resolve) => {
        const wait = {
          until: now() + milliseconds,
          done: () => {
            pending.delete(wait);
            resolve();
          },
        };
        pending.add(wait);
        signal?.addEventListener('abort', wait.done, { once: true });
        advanceWhenIdle();
      }),
    /** Returns a `fetch` whose requests are in flight until their response has been read. */
    track<Init, Response extends { text(): Promise<string> }>(
      send: Send<Init, Response>,
    ): Send<Init, Response> {
      return async (url, init) => {
        inFlight += 1;
        try {
          const response = await send(url, init);
          const text = await response.text();
          return Object.create(response, {
            status: { value: (response as { status?: number }).status },
            headers: { value: (response as { headers?: unknown }).headers },
            body: { value: null },
            text: { value: async () => text },
          });
        } finally {
          inFlight -= 1;
          advanceWhenIdle();
        }
      };
    },
  };
}
