/** Milliseconds. */
export const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Units of time in milliseconds, the longest first. */
export const units = [
  [day, 'day'],
  [hour, 'hour'],
  [minute, 'minute'],
  [second, 'second'],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Says how long ago a time was, or in how long it comes. */
export function formatAgo(time: number, now: number): string {
  const difference = time - now;
  const size = Math.abs(difference);
  // `now` is up to a second old: what has just happened seems to be ahead.
  if (size < 5 * second) return difference > second ? 'in a moment' : 'just now';
  const [length, unit] = units.find(([one]) => size >= one) ?? units[3];
  return relative.format(Math.trunc(difference / length), unit);
}

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** Calls a function each second, when `getNow` has another time. Returns a function that ends it. */
export function watchNow(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    // Nothing showed a time for a while, perhaps for minutes.
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const one of listeners) one();
    }, second);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the current time in milliseconds: to the second while something watches it. */
export function getNow(): number {
  return now;
}
