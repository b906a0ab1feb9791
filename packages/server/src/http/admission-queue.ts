import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '../kernel/context';
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
 * How many rejections cost about as much as a request. One request is handled for so many rejections, whatever turns take:
 * otherwise a flood of requests to reject would leave no time to handle any.
 */
const rejectionsPerRequest = 4;
/** Requests are rejected while those in the queue will take longer than this, in milliseconds. */
const maxExpectedMs = 200;
/**
 * Requests are rejected while the first one in the queue has waited longer than this, in milliseconds; and so is that one, when
 * it is its turn.
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
  /** Returns whether a request is never queued or rejected, such as a probe of a supervisor. */
  isExempt: (request: IncomingMessage) => boolean;
  /** Returns for how long the oldest pending change has waited for the store, in milliseconds. */
  getWriteDelay: () => number;
}

interface QueuedRequest {
  request: IncomingMessage & WithQueueTime;
  response: ServerResponse;
  queuedAt: number;
}

/**
 * Admits as many requests as this thread can handle in time. Requests that arrive faster than they are handled wait in a queue,
 * where they cost nothing, so that each turn of the event loop stays short: whatever else happens in this thread, such as a
 * rejection, takes milliseconds. Requests that would wait too long are rejected when they arrive.
 */
export class AdmissionQueue {
  readonly #options: AdmissionOptions;
  #queue: QueuedRequest[] = [];
  #first = 0;
  #share = share.initial;
  /** How many requests are handled in this turn. */
  #limit = share.initial;
  #handled = 0;
  #isConnecting = false;
  #turnStartedAt = 0;
  #isTurnOpen = false;
  #rejected = 0;
  #rejectedBeforeTurn = 0;
  /** How many requests were handled in a millisecond while others waited; 0 if none do. */
  #rate = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** The number of requests that wait. */
  get length(): number {
    return this.#queue.length - this.#first;
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
    const { clock, handle, isExempt, getWriteDelay } = this.#options;
    const now = clock.elapsed();
    if (!this.#isTurnOpen) this.#openTurn(now);
    if (isExempt(request)) {
      handle(request, response);
    } else if (this.#isBehind(now) || (isChange(request) && getWriteDelay() > maxQueueTimeMs)) {
      this.#reject(request, response);
    } else if (this.length === 0 && this.#handled < this.#limit) {
      this.#handled += 1;
      handle(request, response);
    } else {
      this.#queue.push({ request, response, queuedAt: now });
    }
  };

  #reject(request: IncomingMessage, response: ServerResponse): void {
    this.#rejected += 1;
    this.#options.reject(request, response);
  }

  #isBehind(now: number): boolean {
    const first = this.#queue[this.#first];
    if (first === undefined) return false;
    return now - first.queuedAt > maxQueueTimeMs || this.#isLong();
  }

  /** The rate is unknown until the first turn has ended. */
  #isLong(): boolean {
    return this.#rate > 0 && this.length > Math.max(share.min, this.#rate * maxExpectedMs);
  }

  #openTurn(now: number): void {
    this.#handled = 0;
    this.#limit = this.#isConnecting ? Math.min(shareWhileConnecting, this.#share) : this.#share;
    this.#isConnecting = false;
    this.#rejectedBeforeTurn = this.#rejected;
    this.#turnStartedAt = now;
    this.#isTurnOpen = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isTurnOpen = false;
    if (this.length === 0) {
      this.#rate = 0;
      return;
    }
    const now = this.#options.clock.elapsed();
    const turnMs = now - this.#turnStartedAt;
    this.#updateRate(turnMs);
    // A turn that was made short says nothing about longer ones.
    if (this.#limit >= this.#share) this.#adjustShare(turnMs);
    this.#openTurn(now);
    while (this.length > 0 && this.#handled < this.#limit) this.#takeFirst();
    if (this.#first > this.#queue.length / 2) {
      this.#queue = this.#queue.slice(this.#first);
      this.#first = 0;
    }
  }

  #takeFirst(): void {
    const { request, response, queuedAt } = this.#queue[this.#first] as QueuedRequest;
    this.#queue[this.#first] = undefined as never;
    this.#first += 1;
    if (response.destroyed) return;
    request.queuedMs = this.#options.clock.elapsed() - queuedAt;
    if (request.queuedMs > maxQueueTimeMs) {
      this.#reject(request, response);
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
    const adjusted =
      turnMs > turnTargetMs
        ? Math.max(share.min, Math.floor(this.#share * share.factor))
        : Math.min(share.max, this.#share + share.step);
    const rejected = this.#rejected - this.#rejectedBeforeTurn;
    this.#share = Math.max(adjusted, Math.ceil(rejected / rejectionsPerRequest));
  }
}

function isChange({ method }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}
