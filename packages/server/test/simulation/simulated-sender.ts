import type { Attempt, LeasedDelivery } from '@tradepost/domain/deliveries/delivery';
import { parseRetryAfter } from '../../src/engine/attempt/retry-after';
import type { Sender } from '../../src/engine/attempt/send';
import type { Invariants } from './invariants';
import type { Reply } from './simulated-receivers';
import type { Timer, VirtualTime } from './virtual-time';

const stopped = { status: null, error: 'server_shutdown', retryAfter: [], requestedWait: null };

/** The network of a simulated sender. */
export interface SimulatedNetwork {
  time: VirtualTime;
  invariants: Invariants;
  /** Returns how the receiver of a delivery responds to an attempt that starts now. */
  reply(delivery: LeasedDelivery): Reply;
}

interface InFlightAttempt {
  delivery: LeasedDelivery;
  timer: Timer;
  end(reply: Omit<Reply, 'durationMs'>): void;
}

/** The sender of one worker, on a simulated network. */
export class SimulatedSender implements Sender {
  readonly #network: SimulatedNetwork;
  readonly #inFlight = new Set<InFlightAttempt>();
  #closed = false;

  constructor(network: SimulatedNetwork) {
    this.#network = network;
  }

  send(delivery: LeasedDelivery): Promise<Attempt> {
    const { time, invariants } = this.#network;
    const [startedAt, started] = [time.now(), time.elapsed];
    const reply: Reply = this.#closed
      ? { durationMs: 0, ...stopped }
      : this.#network.reply(delivery);
    invariants.attemptStarted(delivery, this);
    return new Promise((resolve) => {
      const one: InFlightAttempt = {
        delivery,
        timer: time.schedule(reply.durationMs, () => one.end(reply)),
        end: ({ status, error, retryAfter: values, requestedWait }) => {
          this.#inFlight.delete(one);
          const retryAfter = parseRetryAfter(values, time.now());
          invariants.waitRequested(delivery, requestedWait, retryAfter);
          const durationMs = time.elapsed - started;
          const { url } = delivery;
          const seen = { status, error, responseSnippet: '', retryAfter };
          const attempt: Attempt = { startedAt, durationMs, url, headers: {}, ...seen };
          invariants.attemptEnded(delivery, attempt);
          resolve(attempt);
        },
      };
      this.#inFlight.add(one);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const one of this.#inFlight) {
      this.#network.time.cancel(one.timer);
      one.end(stopped);
    }
  }

  /** Ends as in a crash: the results of the attempts in flight are lost. */
  kill(): void {
    for (const { delivery, timer } of this.#inFlight) {
      this.#network.time.cancel(timer);
      this.#network.invariants.attemptCutOff(delivery);
    }
    this.#inFlight.clear();
  }
}
