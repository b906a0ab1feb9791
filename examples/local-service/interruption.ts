/** Why a program ends early: somebody pressed Ctrl-C, or asked it to stop in another way. */
export class Interruption extends Error {
  /** What a shell expects as exit code: 128 and the number of the signal. */
  readonly exitCode: number;

  constructor(readonly signalName: keyof typeof exitCodes) {
    super(`Interrupted by ${signalName}.`);
    this.exitCode = exitCodes[signalName];
  }
}

const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Calls `stop` once for the first signal that asks this process to end. The second one ends it at
 * once, as if nobody listened.
 */
export function onInterruption(stop: (why: Interruption) => void): void {
  for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => stop(new Interruption(name)));
  }
}
