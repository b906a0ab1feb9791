import { CliError } from '../cli-error';

/** Whether writing failed since nobody reads any more, as `head` does when it has enough. */
export function isReaderGone(error: unknown): boolean {
  return error instanceof CliError && error.code === 'output_closed';
}
