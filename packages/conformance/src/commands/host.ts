/** What the program gets from the process that runs it. */
export interface Host {
  env: Readonly<Record<string, string | undefined>>;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Calls a function for each SIGINT and SIGTERM. */
  onSignal(handle: () => void): void;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Ends a command with an exit code. The message, if there is one, is printed. */
export class Exit extends Error {
  override name = 'Exit' as const;
  constructor(
    readonly code: number,
    message = '',
  ) {
    super(message);
  }
}
