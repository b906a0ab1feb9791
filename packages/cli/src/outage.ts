import { RateLimitError } from '@tradepost/sdk';
import { exitReasonOf } from './exit-codes';
import { messageOf } from './message-of';
import type { Terminal } from './terminal';

/** What becomes of an outage of the service. */
export interface Steadiness {
  /** How long the service may be away, in milliseconds; 0 for not at all. */
  patience: number;
  /** Is told when the service is away: why, and that it is asked again. */
  onLost: (error: unknown) => void;
  /** Is told when it is there again. */
  onBack: () => void;
}

/** How time goes by. */
export type Clock = Pick<Terminal, 'elapsed' | 'wait' | 'signal'>;

/** Between two tries, in milliseconds: 1 s, 2 s, 4 s … at most 15 s. */
function pauseAfter(tries: number): number {
  return Math.min(1_000 * 2 ** (tries - 1), 15_000);
}

/** Waits over an outage of a service that was there before. */
export class Outage {
  readonly #steadiness: Steadiness;
  readonly #clock: Clock;
  #hadContact = false;
  #lostAt: number | null = null;
  #tries = 0;

  constructor(steadiness: Steadiness, clock: Clock) {
    this.#steadiness = steadiness;
    this.#clock = clock;
  }

  /** The service has answered. */
  isOver(): void {
    if (this.#lostAt !== null) this.#steadiness.onBack();
    this.#hadContact = true;
    this.#lostAt = null;
    this.#tries = 0;
  }

  /**
   * Waits until the service may be asked again.
   *
   * @throws the error, when it is of another kind, when the service was never there, and when it was
   * away for too long.
   */
  async wait(error: unknown): Promise<void> {
    const { patience, onLost } = this.#steadiness;
    const { elapsed, wait, signal } = this.#clock;
    const isLimited = error instanceof RateLimitError;
    if (!this.#hadContact || !(isLimited || exitReasonOf(error) === 'unreachable')) throw error;
    if (this.#lostAt === null) {
      if (patience > 0) onLost(error);
      this.#lostAt = elapsed();
    }
    const left = this.#lostAt + patience - elapsed();
    if (left <= 0) throw error;
    this.#tries += 1;
    const asked = isLimited ? (error.retryAfter ?? 0) * 1_000 : 0;
    await wait(Math.min(Math.max(pauseAfter(this.#tries), asked), left), signal);
  }

  /**
   * Asks until there is an answer, or the outage was too long. Once the signal has aborted, asking must
   * throw that.
   *
   * @throws what asking throws
   */
  async over<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        const answer = await ask();
        this.isOver();
        return answer;
      } catch (error) {
        await this.wait(error);
      }
    }
  }
}

/**
 * Tells a person that the service is away, and that it is there again.
 *
 * @param giveUpAfter seconds
 */
export function steadiness(giveUpAfter: number, say: (text: string) => void): Steadiness {
  return {
    patience: giveUpAfter * 1_000,
    onLost: (error) => say(`${messageOf(error)} It is asked again for ${giveUpAfter} s.`),
    onBack: () => say('The service is there again.'),
  };
}
