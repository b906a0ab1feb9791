import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Engine } from './engine';
import type { EngineConfig } from './engine-config';

const restartDelayMs = 1_000;
/** How long a thread may run beyond its shutdown timeout: an unavailable store may respond late. */
const shutdownGraceMs = 5_000;
/** Longer than the engine's own timeout for the store. */
const readTimeoutMs = 3_000;

/** How often the thread reports that it polls for deliveries, and what blocks it, in milliseconds. */
export const heartbeatMs = 1_000;
/** How old the latest report may be, in milliseconds. */
const heartbeatTimeoutMs = 5_000;

/** The methods of an engine whose results its thread sends. */
type ReadMethod = 'readMetrics' | 'readConnectionStatus';

/** Messages to the thread. It sends what is read to the port. */
export type EngineMessage =
  | { type: 'wake' }
  | { type: 'stop'; timeoutMs: number }
  | { type: 'read'; method: ReadMethod; port: MessagePort };

/**
 * Runs the delivery engine in its own thread with its own database connection, so that the API waits for it only while it
 * writes. A thread that crashes is restarted, and then makes the deliveries again that it had leased.
 */
export function startEngineThread(config: EngineConfig, log: Logger): Engine {
  let stopping = false;
  let thread: Worker;
  let exited: Promise<void>;
  let restart: NodeJS.Timeout | undefined;
  // At first it gets time to load. After a crash it is alive again when it says so.
  let lastHeartbeat = performance.now();
  let blockedMs = 0;

  function start(): void {
    thread = new Worker(new URL('./engine-thread-main.js', import.meta.url), {
      workerData: config,
    });
    thread.on('error', (error) => log.error({ err: error }, 'the delivery thread crashed'));
    thread.on('message', (blockedFor: number) => {
      lastHeartbeat = performance.now();
      blockedMs = blockedFor;
    });
    exited = new Promise((resolve) => {
      thread.once('exit', () => {
        lastHeartbeat = Number.NEGATIVE_INFINITY;
        blockedMs = 0;
        resolve();
        if (!stopping) restart = setTimeout(start, restartDelayMs);
      });
    });
  }

  const send = (message: EngineMessage, ports: MessagePort[] = []) =>
    thread.postMessage(message, ports);
  /** Returns the result of a method of the engine; null if the thread does not respond: it has crashed or is busy. */
  async function read<Method extends ReadMethod>(
    method: Method,
  ): Promise<Awaited<ReturnType<Engine[Method]>> | null> {
    const { port1, port2 } = new MessageChannel();
    send({ type: 'read', method, port: port2 }, [port2]);
    try {
      const [result] = await once(port1, 'message', { signal: AbortSignal.timeout(readTimeoutMs) });
      return result;
    } catch {
      return null;
    } finally {
      port1.close();
    }
  }
  start();
  return {
    wake: () => send({ type: 'wake' }),
    isAlive: async () => performance.now() - lastHeartbeat < heartbeatTimeoutMs,
    getBlockedMs: () => blockedMs,
    readMetrics: async () => (await read('readMetrics')) ?? '',
    readConnectionStatus: () => read('readConnectionStatus'),
    async stop(timeoutMs) {
      stopping = true;
      clearTimeout(restart);
      send({ type: 'stop', timeoutMs });
      const terminateTimer = setTimeout(() => void thread.terminate(), timeoutMs + shutdownGraceMs);
      await exited;
      clearTimeout(terminateTimer);
    },
  };
}
