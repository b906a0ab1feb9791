import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '../kernel/context';

/** How long a turn of the event loop should take at most, in milliseconds. */
const turnTargetMs = 20;
/** How many requests are handled in one turn. The number follows from how long turns take. */
const share = { initial: 100, min: 8, max: 1_000, step: 8, factor: 0.8 };
/** Requests are rejected while the first one in the queue has waited longer than this, in milliseconds. */
export const maxQueueTimeMs = 500;

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
  request: IncomingMessage;
  response: ServerResponse;
  queuedAt: number;
}

/**
 * Admits as many requests as this thread can handle in time. Requests that arrive faster than they are handled wait in a queue,
 * where they cost nothing, so that each turn of the event loop stays short: whatever else happens in this thread, such as a
 * rejection, takes milliseconds. Once the queue is half a second behind, requests are rejected until it has caught up.
 */
export class AdmissionQueue {
  readonly #options: AdmissionOptions;
  #queue: QueuedRequest[] = [];
  #first = 0;
  #share = share.initial;
  #handled = 0;
  #turnStartedAt = 0;
  #isTurnOpen = false;
  #rejected = 0;

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

  /** Handles a request now, queues it or rejects it. */
  readonly listener: RequestListener = (request, response) => {
    const { clock, handle, reject, isExempt, getWriteDelay } = this.#options;
    const now = clock.elapsed();
    if (!this.#isTurnOpen) this.#openTurn(now);
    if (isExempt(request)) {
      handle(request, response);
    } else if (this.#isBehind(now) || (isChange(request) && getWriteDelay() > maxQueueTimeMs)) {
      this.#rejected += 1;
      reject(request, response);
    } else if (this.length === 0 && this.#handled < this.#share) {
      this.#handled += 1;
      handle(request, response);
    } else {
      this.#queue.push({ request, response, queuedAt: now });
    }
  };

  #isBehind(now: number): boolean {
    const first = this.#queue[this.#first];
    return first !== undefined && now - first.queuedAt > maxQueueTimeMs;
  }

  #openTurn(now: number): void {
    this.#handled = 0;
    this.#turnStartedAt = now;
    this.#isTurnOpen = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isTurnOpen = false;
    if (this.length === 0) return;
    const now = this.#options.clock.elapsed();
    this.#adjustShare(now - this.#turnStartedAt);
    this.#openTurn(now);
    while (this.length > 0 && this.#handled < this.#share) {
      const { request, response } = this.#queue[this.#first] as QueuedRequest;
      this.#queue[this.#first] = undefined as never;
      this.#first += 1;
      if (response.destroyed) continue;
      this.#handled += 1;
      this.#options.handle(request, response);
    }
    if (this.#first > this.#queue.length / 2) {
      this.#queue = this.#queue.slice(this.#first);
      this.#first = 0;
    }
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
