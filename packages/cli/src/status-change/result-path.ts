import { dirname, join } from 'node:path';
import process from 'node:process';
import { CliError } from '../cli-error';
import { makeFolder } from '../files/make-folder';
import { messageOf } from '../message-of';
import { stateFolder } from '../settings/folders';
import type { Terminal } from '../terminal';

/**
 * Where results are written down unless another place is named. Its folder is made.
 *
 * @throws {CliError} `file_refused` when that cannot be.
 */
export function usualResultFile(terminal: Terminal): string {
  const moment = new Date(terminal.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const name = `set-status-${moment}-${process.pid}.ndjson`;
  const path = join(stateFolder(terminal.env), 'results', name);
  try {
    makeFolder(dirname(path));
    return path;
  } catch (error) {
    throw new CliError(
      'file_refused',
      `the folder of the result files cannot be made: ${messageOf(error)}`,
      'Nothing was changed. Name a file with --result-file, or do without by --no-result-file.',
    );
  }
}
