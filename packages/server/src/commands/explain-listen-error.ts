import { OperatorError } from './operator-error';

/**
 * Tells an operator why a server cannot listen where it was told to; other errors stay as they are.
 *
 * @param flags What the flags for port and host begin with: `--`, unless told.
 */
export function explainListenError(
  error: unknown,
  { host, port }: { host: string; port: number },
  flags = '--',
): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new OperatorError(
      `Port ${port} of ${host} is taken. Stop what listens there, or choose another ${flags}port; 0 takes a free one.`,
    );
  }
  if (code === 'EACCES') {
    return new OperatorError(`Port ${port} needs more rights. Choose a ${flags}port above 1023.`);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new OperatorError(`${host} is no address of this machine. Choose another ${flags}host.`);
  }
  return error;
}
