import { parentPort, workerData } from 'node:worker_threads';
import { type EngineSettings, startOwnEngine } from './engine-settings';
import type { EngineMessage } from './engine-thread';
import { lowerPriority } from './lower-priority';

lowerPriority();
const engine = await startOwnEngine(workerData as EngineSettings);

parentPort?.on('message', async (message: EngineMessage) => {
  if (message.tell === 'wake') {
    engine.wake();
    return;
  }
  if (message.tell === 'metrics') {
    message.answer.postMessage(await engine.readMetrics().catch(() => ''));
    message.answer.close();
    return;
  }
  await engine.stop(message.patience);
  // Nothing listens any more, so the thread ends.
  parentPort?.close();
});
