import { once } from 'node:events';
import { WebSocket } from 'undici';

/** A reply or an event of the inspector. */
interface Message {
  id?: number;
  result?: unknown;
  error?: { message: string };
  method?: string;
  params?: { sessionId: string; message?: string };
}

/** The protocol of one thread: a reply for each request. */
class Session {
  readonly #write: (text: string) => void;
  readonly #waiting = new Map<number, (reply: Message) => void>();
  #lastId = 0;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  send(method: string, params: object = {}): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        if (error === undefined) resolve(result);
        else reject(new Error(`${method} failed: ${error.message}`));
      });
      this.#write(JSON.stringify({ id, method, params }));
    });
  }

  receive(reply: Message): void {
    if (reply.id === undefined) return;
    this.#waiting.get(reply.id)?.(reply);
    this.#waiting.delete(reply.id);
  }

  /** Returns the megabytes that the heap of the thread has after a garbage collection. */
  async measureHeap(): Promise<number> {
    // Finalizers run after the first collection, and leave garbage for the second.
    await this.send('HeapProfiler.collectGarbage');
    await this.send('HeapProfiler.collectGarbage');
    const { usedSize } = (await this.send('Runtime.getHeapUsage')) as { usedSize: number };
    return usedSize / 1e6;
  }
}

/** A connection to the inspector of a Node process. It knows the threads of the process too. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #main: Session;
  readonly #workers = new Map<string, Session>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#main = new Session((text) => socket.send(text));
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))));
  }

  /** @param url The WebSocket URL that Node prints. */
  static async connect(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    await once(socket, 'open');
    const inspector = new Inspector(socket);
    await inspector.#main.send('NodeWorker.enable', { waitForDebuggerOnStart: false });
    return inspector;
  }

  /** Returns the megabytes of the heap after a garbage collection: of the main thread, and of all others together. */
  async measureHeaps(): Promise<{ main: number; workers: number }> {
    const main = await this.#main.measureHeap();
    let workers = 0;
    for (const worker of this.#workers.values()) workers += await worker.measureHeap();
    return { main, workers };
  }

  close(): void {
    this.#socket.close();
  }

  #receive(message: Message): void {
    const { method, params } = message;
    if (params === undefined) {
      this.#main.receive(message);
      return;
    }
    const { sessionId, message: text } = params;
    if (method === 'NodeWorker.attachedToWorker') {
      const write = (request: string) =>
        this.#main.send('NodeWorker.sendMessageToWorker', { sessionId, message: request });
      this.#workers.set(sessionId, new Session(write));
    } else if (method === 'NodeWorker.detachedFromWorker') {
      this.#workers.delete(sessionId);
    } else if (method === 'NodeWorker.receivedMessageFromWorker' && text !== undefined) {
      this.#workers.get(sessionId)?.receive(JSON.parse(text));
    }
  }
}
