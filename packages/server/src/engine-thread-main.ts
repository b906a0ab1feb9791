import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type EngineSettings, startOwnEngine } from './engine-settings';
import type { EngineMessage } from './engine-thread';

// There, a priority is a thread's own: deliveries take the processor time that requests leave.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const engine = await startOwnEngine(workerData as EngineSettings);

parentPort?.on('message', async (message: EngineMessage) => {
  if (message.tell === 'wake') {
    engine.wake();
    return;
  }
  if (message.tell === 'metrics') {
    message.answer.postMessage(await engine.readMetrics());
    message.answer.close();
    return;
  }
  await engine.stop(message.patience);
  // Nothing listens any more, so the thread ends.
  parentPort?.close();
});
