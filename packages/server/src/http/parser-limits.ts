import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { requestLimits } from '@tradepost/contract/wire';
import { getResponseInProgress } from './connections';

/** How many requests of a connection may wait for the response to an earlier one. */
export const maxPipelined = 16;
/** How many requests of all connections together may wait so. */
export const maxPipelinedInAll = 1_024;

/** What the HTTP parser of a connection calls when it has read the head of a request. Node has no public property for it. */
interface WithParser {
  parser?: { onIncoming: (request: IncomingMessage, keepAlive: boolean) => number } | null;
}

/** As the result of `onIncoming`: the parser reads nothing more of this connection. Source: llhttp, `on_headers_complete`. */
const readNothingMore = 2;

/** Like that of Node's parser for headers of too many bytes. */
class HeaderOverflowError extends Error {
  override name = 'HeaderOverflowError' as const;
  code = 'HPE_HEADER_OVERFLOW' as const;
}

/**
 * Passes on the requests of each connection one at a time, each after the response to the one before it. Responses have the
 * order of their requests in any case, and otherwise a single read of a connection can start hundreds of requests at once.
 * Source: RFC 9112, section 9.3.2.
 *
 * Node reads a connection whatever waits on it, and creates several objects for each of the thousands of requests that a read may
 * have. So a connection with too many requests is closed, and the rest of what was read is not parsed. A request with too many headers,
 * which take far more memory than their bytes, is rejected and not passed on.
 */
export class ParserLimits {
  readonly #handle: RequestListener;
  readonly #onExcess: () => void;
  readonly #waiting = new WeakMap<Socket, number>();
  #waitingInAll = 0;

  /**
   * @param handle Gets the requests.
   * @param onExcess Called when a connection is closed because of too many requests.
   */
  constructor(handle: RequestListener, onExcess: () => void) {
    this.#handle = handle;
    this.#onExcess = onExcess;
  }

  /**
   * Applies the limits to the connections of a server. For too many headers the server emits `clientError`; without a listener for
   * it, the connection is closed.
   */
  watch(server: Server): void {
    const limit = (socket: Socket) => this.#limit(socket, server);
    server.on('connection', limit);
    // With TLS, the connection that has the requests is another object.
    server.on('secureConnection', limit);
  }

  /** Gets all requests of the server. */
  readonly listener: RequestListener = (request, response) => {
    // Node gives a response its socket once the responses before it are complete.
    if (response.socket !== null) {
      this.#handle(request, response);
      return;
    }
    const { socket } = request;
    this.#addWaiting(socket, 1);
    response.once('socket', () => {
      this.#addWaiting(socket, -1);
      this.#handle(request, response);
    });
  };

  #limit(socket: Socket, server: Server): void {
    const { parser } = socket as WithParser;
    if (!parser) return;
    const { onIncoming } = parser;
    parser.onIncoming = (request, keepAlive) => {
      if (socket.destroyed) return readNothingMore;
      if (this.#isFull(socket)) {
        socket.destroy();
        this.#onExcess();
        return readNothingMore;
      }
      // Names and values alternate.
      if (request.rawHeaders.length > 2 * requestLimits.headers) {
        const error = new HeaderOverflowError('Too many headers.');
        if (!server.emit('clientError', error, socket)) socket.destroy();
        return readNothingMore;
      }
      return onIncoming(request, keepAlive);
    };
    socket.once('close', () => this.#addWaiting(socket, -this.#countWaiting(socket)));
  }

  /** Whether a further request of this connection would be too many. One that need not wait never is. */
  #isFull(socket: Socket): boolean {
    return (
      (this.#waitingInAll >= maxPipelinedInAll || this.#countWaiting(socket) >= maxPipelined) &&
      getResponseInProgress(socket) !== null
    );
  }

  #countWaiting(socket: Socket): number {
    return this.#waiting.get(socket) ?? 0;
  }

  #addWaiting(socket: Socket, change: number): void {
    this.#waiting.set(socket, this.#countWaiting(socket) + change);
    this.#waitingInAll += change;
  }
}
