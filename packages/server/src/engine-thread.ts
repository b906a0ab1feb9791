import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Engine } from './engine';
import type { EngineSettings } from './engine-settings';

const pauseBeforeRestart = 1_000;
/** What a thread gets to finish in beyond its patience: a store may take a while to say that it cannot be reached. */
const stopGrace = 5_000;
/** Longer than the engine waits for its store. */
const metricsPatience = 3_000;

/** What the thread is told, or asked: then it answers on the port. */
export type EngineMessage =
  | { tell: 'wake' }
  | { tell: 'stop'; patience: number }
  | { tell: 'metrics'; answer: MessagePort };

/**
 * Runs the delivery engine in a thread of its own, with a connection of its own to the database: the API waits
 * for none of its work, save a write that is under way. A thread that dies is started again; what it had in
 * its hands is due again when the leases end.
 */
export function startEngineThread(settings: EngineSettings, log: Logger): Engine {
  let stopping = false;
  let thread: Worker;
  let gone: Promise<void>;
  let restart: NodeJS.Timeout | undefined;

  function start(): void {
    thread = new Worker(new URL('./engine-thread-main.js', import.meta.url), {
      workerData: settings,
    });
    thread.on('error', (error) => log.error({ err: error }, 'the delivery thread died'));
    gone = new Promise((resolve) => {
      thread.once('exit', () => {
        resolve();
        if (!stopping) restart = setTimeout(start, pauseBeforeRestart);
      });
    });
  }

  const tell = (message: EngineMessage, ports: MessagePort[] = []) =>
    thread.postMessage(message, ports);
  start();
  return {
    wake: () => tell({ tell: 'wake' }),
    async readMetrics() {
      const { port1, port2 } = new MessageChannel();
      tell({ tell: 'metrics', answer: port2 }, [port2]);
      try {
        // A thread that died, or has no time, says nothing.
        const signal = AbortSignal.timeout(metricsPatience);
        const [text] = (await once(port1, 'message', { signal })) as [string];
        return text;
      } catch {
        return '';
      } finally {
        port1.close();
      }
    },
    async stop(patience) {
      stopping = true;
      clearTimeout(restart);
      tell({ tell: 'stop', patience });
      const tooLate = setTimeout(() => void thread.terminate(), patience + stopGrace);
      await gone;
      clearTimeout(tooLate);
    },
  };
}
