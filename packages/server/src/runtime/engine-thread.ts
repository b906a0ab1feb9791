import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Engine } from './engine';
import type { EngineConfig } from './engine-config';

const restartDelayMs = 1_000;
/** How long a thread may run beyond its shutdown timeout: an unavailable store may respond late. */
const shutdownGraceMs = 5_000;
/** Longer than the engine's own timeout for the store. */
const responseTimeoutMs = 3_000;

/** Messages to the thread. It sends its response to the port. */
export type EngineMessage =
  | { type: 'wake' }
  | { type: 'stop'; timeoutMs: number }
  | { type: 'isAlive'; port: MessagePort }
  | { type: 'metrics'; port: MessagePort };

/**
 * Runs the delivery engine in its own thread with its own database connection, so that the API waits for it only while it
 * writes. A thread that crashes is restarted; the deliveries that it had leased are due again when their leases end.
 */
export function startEngineThread(config: EngineConfig, log: Logger): Engine {
  let stopping = false;
  let thread: Worker;
  let exited: Promise<void>;
  let restart: NodeJS.Timeout | undefined;

  function start(): void {
    thread = new Worker(new URL('./engine-thread-main.js', import.meta.url), {
      workerData: config,
    });
    thread.on('error', (error) => log.error({ err: error }, 'the delivery thread crashed'));
    exited = new Promise((resolve) => {
      thread.once('exit', () => {
        resolve();
        if (!stopping) restart = setTimeout(start, restartDelayMs);
      });
    });
  }

  const send = (message: EngineMessage, ports: MessagePort[] = []) =>
    thread.postMessage(message, ports);
  /** Resolves to the response of the thread; null from one that has crashed or is busy. */
  async function request<Response>(type: 'metrics' | 'isAlive'): Promise<Response | null> {
    const { port1, port2 } = new MessageChannel();
    send({ type, port: port2 }, [port2]);
    try {
      const signal = AbortSignal.timeout(responseTimeoutMs);
      const [response] = (await once(port1, 'message', { signal })) as [Response];
      return response;
    } catch {
      return null;
    } finally {
      port1.close();
    }
  }
  start();
  return {
    wake: () => send({ type: 'wake' }),
    isAlive: async () => (await request<boolean>('isAlive')) ?? false,
    readMetrics: async () => (await request<string>('metrics')) ?? '',
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
