import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { maxHeaders } from '@tradepost/contract';
import type { Clock } from '@tradepost/domain/kernel/context';
import { getResponseInProgress } from './connections';
import { FairQueue, Queue } from './fair-queue';
import type { WithQueueTime } from './request-log';

/** How long a turn of the event loop should take at most, in milliseconds. */
const turnTargetMs = 5;
/** How many requests are handled in one turn. The number follows from how long turns take. */
const share = { initial: 100, min: 8, max: 1_000, step: 8, factor: 0.8 };
/**
 * How many requests are handled in a turn while connections arrive. Node accepts one connection in a turn, so others would wait
 * for seconds if turns stayed long.
 */
const shareWhileConnecting = 8;
/**
 * How many rejections cost about as much as a request. For so many rejections in a turn, one request is handled in the next,
 * however long that takes: otherwise a flood of requests to reject would leave no time to handle any.
 */
const rejectionsPerRequest = 4;
/**
 * How long requests are rejected in a turn, in milliseconds. Further ones are rejected in the next turns, so that connections are
 * accepted in between.
 */
const rejectingMs = { normally: 20, whileConnecting: 2 };
/**
 * How long probes are handled in a turn, in milliseconds. They are never rejected, and have a queue of their own so that they
 * never wait for requests. It has one of each connection at most, so a probe waits for a second if there are thousands.
 */
const probingMs = 5;
/**
 * While those in the queue will take longer than this, in milliseconds, requests of senders are rejected that have more than their
 * part of so much in the queue.
 */
const maxExpectedMs = 200;
/**
 * Requests of a sender are rejected while its first one in the queue has waited longer than this, in milliseconds; and so is that
 * one, when it is its turn.
 */
export const maxQueueTimeMs = 500;
/** Over which time the rate of handled requests is averaged, in milliseconds. */
const rateWindowMs = 200;

/** What an admission queue needs. */
export interface AdmissionOptions {
  clock: Clock;
  /** Handles a request that was admitted. */
  handle: RequestListener;
  /** Rejects a request because there are too many. Must take much less time than handling it. */
  reject: RequestListener;
  /** Returns whether a request is a probe of a supervisor, which is never rejected and never waits for other requests. */
  isProbe: (request: IncomingMessage) => boolean;
  /** Names who sends a request. Senders share the queue: it takes one request of each in turn. Called only while requests wait. */
  identify: (request: IncomingMessage) => string;
  /** Returns for how long the oldest pending change has waited for the store, in milliseconds. */
  getWriteDelay: () => number;
}

interface QueuedRequest {
  request: IncomingMessage & WithQueueTime;
  response: ServerResponse;
  queuedAt: number;
}

/** A queue whose requests are taken for a limited time in each turn of the event loop. */
class TimedQueue extends Queue<QueuedRequest> {
  readonly #clock: Clock;
  readonly #take: (queued: QueuedRequest) => void;
  #maxMs = 0;
  #spentMs = 0;

  constructor(clock: Clock, take: (queued: QueuedRequest) => void) {
    super();
    this.#clock = clock;
    this.#take = take;
  }

  /** Starts a turn in which requests are taken for `maxMs`. */
  startTurn(maxMs: number): void {
    this.#maxMs = maxMs;
    this.#spentMs = 0;
  }

  /** Takes as many requests as this turn may. */
  run(): void {
    const startedAt = this.#clock.elapsed() - this.#spentMs;
    while (this.length > 0 && this.#spentMs < this.#maxMs) {
      const queued = this.take();
      if (!queued.response.destroyed) this.#take(queued);
      this.#spentMs = this.#clock.elapsed() - startedAt;
    }
  }
}

/**
 * Admits as many requests as this thread can handle in time. Requests that arrive faster than they are handled wait in a queue,
 * where they cost nothing, so that each turn of the event loop stays short: whatever else happens in this thread takes
 * milliseconds. Requests that would wait too long are rejected as soon as possible: those of the senders that have the most in the
 * queue.
 */
export class AdmissionQueue {
  readonly #options: AdmissionOptions;
  readonly #waiting = new FairQueue<QueuedRequest>();
  /** Requests that will be rejected in one of the next turns. */
  readonly #excess: TimedQueue;
  readonly #probes: TimedQueue;
  #share = share.initial;
  /** How many requests are handled in this turn. */
  #limit = share.initial;
  #handled = 0;
  #isConnecting = false;
  #turnStartedAt = 0;
  #isTurnOpen = false;
  #rejected = 0;
  #rejectedInTurn = 0;
  #isShort = false;
  /** How many requests were handled in a millisecond while others waited; 0 if none do. */
  #rate = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#excess = new TimedQueue(options.clock, ({ request, response }) => {
      this.#rejectedInTurn += 1;
      this.#rejected += 1;
      options.reject(request, response);
    });
    this.#probes = new TimedQueue(options.clock, ({ request, response }) =>
      options.handle(request, response),
    );
  }

  /** The number of requests that wait. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Whether requests wait, also probes and those that will be rejected. */
  get isBusy(): boolean {
    return this.#waiting.length + this.#excess.length + this.#probes.length > 0;
  }

  /** How many requests were rejected since the start. */
  get rejected(): number {
    return this.#rejected;
  }

  /** Makes the next turn short, so that further connections are accepted soon. Call it for each new connection. */
  readonly noteConnection = (): void => {
    this.#isConnecting = true;
  };

  /** Handles a request now, queues it or rejects it. */
  readonly listener: RequestListener = (request, response) => {
    const { clock, handle, isProbe, identify, getWriteDelay } = this.#options;
    const now = clock.elapsed();
    if (!this.#isTurnOpen) this.#openTurn(now);
    if (isProbe(request)) {
      this.#probes.add({ request, response, queuedAt: now });
      this.#probes.run();
      return;
    }
    const mayWait = this.length > 0 || this.#handled >= this.#limit;
    const sender = mayWait ? identify(request) : '';
    if (
      (mayWait && this.#isBehind(sender, now)) ||
      (isChange(request) && getWriteDelay() > maxQueueTimeMs)
    ) {
      this.#excess.add({ request, response, queuedAt: now });
      this.#excess.run();
    } else if (!mayWait) {
      this.#handled += 1;
      handle(request, response);
    } else {
      this.#waiting.add(sender, { request, response, queuedAt: now });
    }
  };

  #isBehind(sender: string, now: number): boolean {
    const first = this.#waiting.first(sender);
    if (first !== undefined && now - first.queuedAt > maxQueueTimeMs) return true;
    // The rate is unknown until the first turn has ended.
    if (this.#rate === 0) return false;
    const longest = Math.max(share.min, this.#rate * maxExpectedMs);
    const own = this.#waiting.count(sender);
    const senders = this.#waiting.senders + (own === 0 ? 1 : 0);
    return this.length > longest && own + 1 > longest / senders;
  }

  #openTurn(now: number): void {
    const most = this.#isConnecting ? Math.min(shareWhileConnecting, this.#share) : this.#share;
    this.#limit = Math.max(most, Math.ceil(this.#rejectedInTurn / rejectionsPerRequest));
    this.#isShort = this.#isConnecting;
    this.#excess.startTurn(rejectingMs[this.#isConnecting ? 'whileConnecting' : 'normally']);
    this.#probes.startTurn(probingMs);
    this.#handled = 0;
    this.#rejectedInTurn = 0;
    this.#isConnecting = false;
    this.#turnStartedAt = now;
    this.#isTurnOpen = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isTurnOpen = false;
    const now = this.#options.clock.elapsed();
    if (this.length === 0) {
      this.#rate = 0;
    } else {
      const turnMs = now - this.#turnStartedAt;
      this.#updateRate(turnMs);
      // A turn that was made short says nothing about longer ones.
      if (!this.#isShort) this.#adjustShare(turnMs);
    }
    if (!this.isBusy) return;
    this.#openTurn(now);
    this.#probes.run();
    while (this.length > 0 && this.#handled < this.#limit) this.#takeFirst();
    this.#excess.run();
  }

  #takeFirst(): void {
    const first = this.#waiting.take();
    const { request, response, queuedAt } = first;
    if (response.destroyed) return;
    request.queuedMs = this.#options.clock.elapsed() - queuedAt;
    if (request.queuedMs > maxQueueTimeMs) {
      this.#excess.add(first);
    } else {
      this.#handled += 1;
      this.#options.handle(request, response);
    }
  }

  #updateRate(turnMs: number): void {
    if (turnMs <= 0) return;
    const rate = this.#handled / turnMs;
    const weight = this.#rate === 0 ? 1 : Math.min(1, turnMs / rateWindowMs);
    this.#rate += weight * (rate - this.#rate);
  }

  /** The turn that took this long had all the work of its requests, also what they did after a wait for the store. */
  #adjustShare(turnMs: number): void {
    this.#share =
      turnMs > turnTargetMs
        ? Math.max(share.min, Math.floor(this.#share * share.factor))
        : Math.min(share.max, this.#share + share.step);
  }
}

function isChange({ method }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

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
    let isRejected = false;
    parser.onIncoming = (request, keepAlive) => {
      // After a rejection the parser still gets what arrives, such as the body of that request, until the socket is closed.
      if (socket.destroyed || isRejected) return readNothingMore;
      if (this.#isFull(socket)) {
        socket.destroy();
        this.#onExcess();
        return readNothingMore;
      }
      // Names and values alternate.
      if (request.rawHeaders.length > 2 * maxHeaders) {
        isRejected = true;
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
