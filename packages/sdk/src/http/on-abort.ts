/** What to call when a signal aborts, and the listener that does it. */
interface Waiting {
  callbacks: Set<() => void>;
  abort(): void;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls a function once when a signal aborts. A signal gets one listener, however many calls wait for it,
 * because Node warns about more than ten.
 *
 * @returns the function that removes the callback
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, abort } = waitingFor.get(signal) ?? listen(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0) return;
    signal.removeEventListener('abort', abort);
    waitingFor.delete(signal);
  };
}

function listen(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>();
  const abort = () => {
    for (const callback of callbacks) callback();
  };
  const waiting = { callbacks, abort };
  waitingFor.set(signal, waiting);
  signal.addEventListener('abort', abort);
  return waiting;
}
