import { parseRetryAfter, type Sender } from '../../src/deliveries/attempt/send';
import type { Attempt, LeasedDelivery } from '../../src/deliveries/delivery';
import type { Invariants } from './invariants';
import type { Reply } from './simulated-receivers';
import type { Timer, VirtualTime } from './virtual-time';

const stopped = { status: null, error: 'server_shutdown', retryAfter: [], asks: null };

/** What a simulated sender sends through. */
export interface SimulatedNetwork {
  time: VirtualTime;
  invariants: Invariants;
  /** How the receiver of a delivery takes an attempt that starts now. */
  reply(delivery: LeasedDelivery): Reply;
}

interface UnderWay {
  delivery: LeasedDelivery;
  timer: Timer;
  end(reply: Omit<Reply, 'takes'>): void;
}

/** A sender of one worker, on a network that is only told of. */
export class SimulatedSender implements Sender {
  readonly #network: SimulatedNetwork;
  readonly #underWay = new Set<UnderWay>();
  #closed = false;

  constructor(network: SimulatedNetwork) {
    this.#network = network;
  }

  send(delivery: LeasedDelivery): Promise<Attempt> {
    const { time, invariants } = this.#network;
    const [startedAt, started] = [time.now(), time.elapsed];
    const reply: Reply = this.#closed ? { takes: 0, ...stopped } : this.#network.reply(delivery);
    invariants.attemptStarted(delivery, this);
    return new Promise((resolve) => {
      const one: UnderWay = {
        delivery,
        timer: time.after(reply.takes, () => one.end(reply)),
        end: ({ status, error, retryAfter: values, asks }) => {
          this.#underWay.delete(one);
          const retryAfter = parseRetryAfter(values, time.now());
          invariants.askedToWait(delivery, asks, retryAfter);
          const durationMs = time.elapsed - started;
          const { url } = delivery;
          const seen = { status, error, responseSnippet: '', retryAfter };
          const attempt: Attempt = { startedAt, durationMs, url, headers: {}, ...seen };
          invariants.attemptEnded(delivery, attempt);
          resolve(attempt);
        },
      };
      this.#underWay.add(one);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const one of this.#underWay) {
      this.#network.time.cancel(one.timer);
      one.end(stopped);
    }
  }

  /** Ends as the process does: no one learns how the attempts in flight went. */
  die(): void {
    for (const { delivery, timer } of this.#underWay) {
      this.#network.time.cancel(timer);
      this.#network.invariants.attemptCutOff(delivery);
    }
    this.#underWay.clear();
  }
}
