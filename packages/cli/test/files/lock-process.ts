import { createInterface } from 'node:readline';
import { lockFile } from '../../src/files/lock-file';

// A process that locks what it is told to. A line of stdin is a command: `take FILE`, `give FILE`. What
// came of it is a line of stdout. At the end of stdin it ends and gives nothing back, as if killed.
const releases = new Map<string, () => void>();
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const [command = '', path = ''] = line.split(' ');
  if (command === 'take') process.stdout.write(`${take(path)}\n`);
  else {
    releases.get(path)?.();
    process.stdout.write('given\n');
  }
}
process.exit();

function take(path: string): string {
  try {
    releases.set(path, lockFile(path));
    return 'taken';
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(path, 'FILE') : 'failed';
  }
}
