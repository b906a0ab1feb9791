import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from '../kernel/log';
import { startTracing } from '../tracing/start-tracing';
import { createEngine, type EngineConfig } from './engine-config';
import { type EngineMessage, heartbeatMs } from './engine-thread';

/** The niceness of this thread. On a busy processor it still gets a quarter of the time. */
const lowPriority = 5;

lowerPriority();
const config = workerData as EngineConfig;
const tracing = config.tracing && (await startTracing(config.tracing, createLog(config.logLevel)));
const engine = await createEngine(config);

const heartbeat = setInterval(async () => {
  if (await engine.isAlive()) parentPort?.postMessage(engine.getBlockedMs());
}, heartbeatMs);

parentPort?.on('message', async (message: EngineMessage) => {
  if (message.type === 'wake') {
    engine.wake();
    return;
  }
  if (message.type === 'read') {
    message.port.postMessage(await engine[message.method]().catch(() => null));
    message.port.close();
    return;
  }
  clearInterval(heartbeat);
  await engine.stop(message.timeoutMs);
  await tracing?.stop();
  // Without listeners the thread ends, unless a collector has not responded.
  parentPort?.close();
  if (tracing) process.exit();
});

/**
 * Lowers the priority of this thread, where the system allows it: only Linux has a priority for each thread. A lower one stays
 * as it is.
 */
function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    if (getPriority() < lowPriority) setPriority(lowPriority);
  } catch {
    // A sandbox may forbid it. The engine works anyway.
  }
}
