import type { Attempt, ClaimedDelivery } from '../../src/deliveries/delivery';
import { readRetryAfter } from '../../src/deliveries/retry-after';
import type { Sender } from '../../src/deliveries/send';
import type { Laws } from './laws';
import type { Reply } from './simulated-receivers';
import type { Timer, VirtualTime } from './virtual-time';

const stopped = { status: null, error: 'stopped', retryAfter: [], asks: null };

/** What a simulated sender sends through. */
export interface SimulatedNetwork {
  time: VirtualTime;
  laws: Laws;
  /** How the receiver of a delivery takes an attempt that starts now. */
  reply(delivery: ClaimedDelivery): Reply;
}

interface UnderWay {
  delivery: ClaimedDelivery;
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

  send(delivery: ClaimedDelivery): Promise<Attempt> {
    const { time, laws } = this.#network;
    const [startedAt, started] = [time.now(), time.elapsed];
    const reply: Reply = this.#closed ? { takes: 0, ...stopped } : this.#network.reply(delivery);
    laws.attemptStarted(delivery, this);
    return new Promise((resolve) => {
      const one: UnderWay = {
        delivery,
        timer: time.after(reply.takes, () => one.end(reply)),
        end: ({ status, error, retryAfter: values, asks }) => {
          this.#underWay.delete(one);
          const retryAfter = readRetryAfter(values, time.now());
          laws.askedToWait(delivery, asks, retryAfter);
          const duration = time.elapsed - started;
          const { url } = delivery;
          const seen = { status, error, excerpt: '', retryAfter };
          const attempt: Attempt = { startedAt, duration, url, headers: {}, ...seen };
          laws.attemptEnded(delivery, attempt);
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

  /** Ends as the process does: nobody learns how the attempts under way went. */
  die(): void {
    for (const { delivery, timer } of this.#underWay) {
      this.#network.time.cancel(timer);
      this.#network.laws.attemptCutOff(delivery);
    }
    this.#underWay.clear();
  }
}
