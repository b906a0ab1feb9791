import { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';

/** How many bytes an answer may take before it is at its end, or at as much of its body as is read. */
const answerAtMost = 49_152;
/**
 * More than an answer may take, and what the system reads at once: the parser must never come to a limit of its
 * own. It makes an error of each further header, which lets 64 kB of headers take it a fifth of a second.
 */
const headersAtMost = 131_072;
/** How long a connection is kept when the receiver asks for long, in milliseconds: middleboxes forget silently. */
const longestIdle = 30_000;

/** Raised when an answer goes on and on without a body that could be kept: headers for ever, say. */
export class AnswerTooLargeError extends Error {
  override name = 'AnswerTooLargeError' as const;
  readonly code = 'ANSWER_TOO_LARGE' as const;
}

/** A connection to one receiver. It carries one request at a time, and opens itself anew when it was closed in between. */
export class Connection {
  readonly #client: Client;
  #socket: Socket | null = null;
  #carried = 0;
  #readBefore = 0;

  /** @param onClosed Told when the connection was closed, by either side. */
  constructor(
    /** Scheme, host and port. */
    readonly origin: string,
    connect: buildConnector.connector,
    onClosed: (connection: Connection) => void,
  ) {
    this.#client = new Client(origin, {
      connect: (options, answer) => {
        const opened: unknown = connect(options, (...result) => {
          const [error, socket] = result;
          if (error === null) this.#attend(socket);
          answer(...result);
        });
        if (opened instanceof Socket) this.#socket = opened;
      },
      // The deadline of the whole attempt covers headers and body together.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: headersAtMost,
      keepAliveMaxTimeout: longestIdle,
      pipelining: 1,
    });
    this.#client.on('disconnect', () => onClosed(this));
  }

  /** Whether the request under way is not the first one on this socket. */
  get isUsed(): boolean {
    return this.#carried > 1;
  }

  /** Sends a request as soon as there is a connection. */
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(request, handler);
  }

  /** To be called when the request is about to be written. */
  begin(): void {
    this.#carried += 1;
    this.#readBefore = this.#socket?.bytesRead ?? 0;
  }

  /** Closes it. A request under way fails as one that this server has stopped. */
  async end(): Promise<void> {
    const ended = this.#client.destroy();
    // A client that is still connecting lets its socket be.
    this.#socket?.destroy();
    await ended;
  }

  #attend(socket: Socket): void {
    this.#socket = socket;
    this.#carried = 0;
    // Comes before the parser gets what is there to read.
    socket.on('readable', () => {
      const parsed = socket.bytesRead - socket.readableLength - this.#readBefore;
      if (parsed > answerAtMost) socket.destroy(new AnswerTooLargeError());
    });
  }
}
