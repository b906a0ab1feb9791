/** Thrown when a command fails for a reason that the operator can fix. The message says what and how. */
export class OperatorError extends Error {
  override name = 'OperatorError' as const;
  /** The exit code of the command. */
  readonly exitCode: number = 1;
}

/** The usual exit code for an invalid command line. */
export const usageExitCode = 2;

/** Thrown when the options of a command line contradict each other, or do nothing. Nothing was done. */
export class UsageError extends OperatorError {
  override readonly exitCode = usageExitCode;
}

/**
 * Converts the error of a server that cannot listen to one that explains why. Returns other errors unchanged.
 *
 * @param flagPrefix The prefix of the flags for port and host.
 */
export function explainListenError(
  error: unknown,
  { host, port }: { host: string; port: number },
  flagPrefix = '--',
): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new OperatorError(
      `Port ${port} on ${host} is in use. Stop the other program, or pass another ${flagPrefix}port; 0 selects a free one.`,
    );
  }
  if (code === 'EACCES') {
    return new OperatorError(
      `Port ${port} requires more privileges. Pass a ${flagPrefix}port above 1023.`,
    );
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new OperatorError(
      `${host} is not an address of this machine. Pass another ${flagPrefix}host.`,
    );
  }
  return error;
}
