import { createInterface } from 'node:readline';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { createLog } from '../../src/kernel/log';

// A process that logs on command: `log COUNT`, `thread COUNT` from a thread that then crashes,
// `throw COUNT`, `secrets`. The test bundles it.
const log = createLog('info');

/** Logs numbered lines of about 200 bytes. */
function logLines(count: number): void {
  const thread = isMainThread ? 'main' : 'other';
  for (let n = 0; n < count; n += 1) log.info({ n, thread, filler: 'x'.repeat(120) }, 'line');
}

/** Lets another thread log and crash. Resolves to the error message. */
function logInThread(count: number): Promise<Error> {
  const thread = new Worker(new URL(import.meta.url));
  thread.postMessage(count);
  return new Promise((resolve) => thread.once('error', resolve));
}

async function obey(): Promise<void> {
  for await (const line of createInterface(process.stdin)) {
    const [command, count] = line.split(' ');
    if (command === 'secrets') log.info({ apiKey: 'hush', webhook: { secret: 'hush' } }, 'line');
    const death = command === 'thread' ? logInThread(Number(count)) : undefined;
    logLines(Number(count));
    if (command === 'throw') throw new Error('requested by the test');
    console.log(death === undefined ? 'logged' : (await death).message);
  }
}

if (isMainThread) {
  await obey();
} else {
  parentPort?.once('message', (count: number) => {
    logLines(count);
    throw new Error('as in a crash');
  });
}
