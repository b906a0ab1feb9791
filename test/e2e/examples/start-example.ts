import { join } from 'node:path';
import { checkout } from '../../helpers/programs';
import {
  type ProcessOptions,
  type RunningProcess,
  startProcess,
} from '../../helpers/start-process';

/** Starts an example as the npm scripts do: TypeScript through tsx. */
export function startExample(
  file: string,
  args: readonly string[] = [],
  options: Pick<ProcessOptions, 'env'> = {},
): RunningProcess {
  const command = ['--import', 'tsx', join('examples', file), ...args];
  return startProcess(process.execPath, command, { ...options, cwd: checkout });
}
