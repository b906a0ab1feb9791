import process from 'node:process';
import { engines, version } from '../../package.json';
import { exitReasonOf } from '../exit-codes';
import { messageOf } from '../message-of';
import { configFolder } from '../settings/folders';
import { isOpenToOthers, profilesFile, readProfiles } from '../settings/profiles';
import type { Terminal } from '../terminal';
import { type Finding, failed, fine } from './check';

/** Checks what is on this machine, whichever service is asked: the program itself, and the logins. */
export function checkMachine(terminal: Terminal, node = process.versions.node): Finding[] {
  return [fine('cli', `tradepost ${version}`), checkNode(node), checkLogins(terminal)];
}

function checkNode(node: string): Finding {
  const needed = engines.node.replace(/^>=/, '');
  const detail = `Node ${node}; ${needed} or newer is needed`;
  return isAtLeast(node, needed)
    ? fine('node', detail)
    : failed('node', 'error', detail, `Install Node ${needed} or newer.`);
}

function isAtLeast(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number.parseFloat);
  const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number.parseFloat);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

function checkLogins({ env }: Terminal): Finding {
  const file = profilesFile(configFolder(env));
  try {
    const count = Object.keys(readProfiles(file).profiles).length;
    if (count === 0) return fine('logins', `none in ${file}`);
    const detail = `${count} in ${file}`;
    if (!isOpenToOthers(file)) return fine('logins', detail);
    return failed(
      'logins',
      'error',
      `${detail}: others of this machine may read the keys`,
      `Run \`chmod 600 '${file}'\`, and replace the keys if somebody may have read them.`,
    );
  } catch (error) {
    const message = messageOf(error);
    return failed(
      'logins',
      exitReasonOf(error),
      message,
      'Mend the file, or move it away and log in again.',
    );
  }
}
