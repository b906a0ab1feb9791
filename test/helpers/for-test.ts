import { onTestFinished } from 'vitest';

/** Something that a test starts and has to end. */
type Started =
  | { close(): unknown }
  | { remove(): unknown }
  | { stop(signal?: NodeJS.Signals): unknown };

async function end(
  starting: Started | Promise<Started>,
  signal: NodeJS.Signals | undefined,
): Promise<void> {
  // If it did not start, the test has failed for that reason.
  const started = await Promise.resolve(starting).catch(() => null);
  if (started === null) return;
  if ('close' in started) await started.close();
  else if ('remove' in started) await started.remove();
  else await started.stop(signal);
}

/**
 * Ends what a test starts when the test ends: what was started last comes first. Returns it.
 *
 * @param signal What ends a process. Defaults to that of its `stop`.
 */
export function forTest<Starting extends Started | Promise<Started>>(
  starting: Starting,
  signal?: NodeJS.Signals,
): Starting {
  onTestFinished(() => end(starting, signal));
  return starting;
}
