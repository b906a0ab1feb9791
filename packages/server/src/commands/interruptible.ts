import { OperatorError } from './operator-error';

const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs work that SIGINT and SIGTERM stop in an orderly way. A second signal ends the process at once.
 *
 * @param consequence What is left then, and what to do: the end of the message.
 */
export async function runInterruptible<Result>(
  consequence: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals) =>
    controller.abort(new OperatorError(`Stopped by ${signal}. ${consequence}`));
  for (const signal of signals) process.once(signal, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
