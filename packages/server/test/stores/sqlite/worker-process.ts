import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { leaseMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../../src/stores/store';

// A process with a worker that leases everything that is due. `process FILE` leases in this thread, `thread FILE` in another
// one, which fails when the process gets a line. It prints how many it leased, and ends when its stdin ends.
const [where, file] = isMainThread ? process.argv.slice(2) : (workerData as string[]);
if (!(where && file)) throw new Error('say where, and name the database');

/** Leases everything. The store is returned, because a store without references is closed by the garbage collector. */
async function lease(path: string): Promise<Store> {
  const store = openSqliteStore(path);
  const { deliveries } = store;
  const { id: worker } = await deliveries.registerWorker();
  const times = { now: noon, leaseUntil: noon + leaseMs };
  const leased = await deliveries.leaseDue({ ...times, leaseToken: 'one', limit: 100, worker });
  console.log(leased.length);
  return store;
}

if (isMainThread && where === 'thread') {
  // A thread does not inherit the loader for TypeScript.
  const load = `import('tsx/esm/api').then(({ register }) => {
    register();
    return import('${import.meta.url}');
  })`;
  const thread = new Worker(load, { eval: true, workerData: [where, file] });
  thread.on('error', () => {});
  await once(process.stdin, 'data');
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  thread.postMessage('fail');
  await ended;
  console.log('the thread ended');
  await once(process.stdin, 'end');
} else {
  const store = await lease(file);
  if (isMainThread) {
    await once(process.stdin.resume(), 'end');
    await store.close();
  } else {
    const { parentPort } = await import('node:worker_threads');
    // It refers to the store, which the garbage collector would close otherwise.
    parentPort?.once('message', () => {
      throw new Error(`as requested, with schema ${store.schemaVersion}`);
    });
  }
}
