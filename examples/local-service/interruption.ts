/** The reason why a program ends early: Ctrl-C, or another signal that requests it to stop. */
export class Interruption extends Error {
  /** The exit code that shells expect: 128 plus the number of the signal. */
  readonly exitCode: number;

  constructor(readonly signalName: keyof typeof exitCodes) {
    super(`Interrupted by ${signalName}.`);
    this.exitCode = exitCodes[signalName];
  }
}

const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Calls `stop` for the first signal that requests this process to stop. The second one has the
 * default effect: it ends the process at once.
 */
export function onInterruption(stop: (reason: Interruption) => void): void {
  for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => stop(new Interruption(name)));
  }
}
