import { longestMs } from './plan';
import type { Run } from './run';
import { createWork, type Work } from './work';

/** An object whose methods take time. */
export type Wrapped<Store> = {
  [Name in keyof Store]: Store[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : Store[Name];
};

/** What an instance of a receiver gets from the simulation. Its functions need no `this`. */
export interface SimulationEnvironment {
  /** The number of the instance, from 1. One that was killed starts again with its number. */
  readonly instance: number;
  /** Returns what all instances share and what survives a crash, such as a `Map` for a table. The first call with a name creates it. */
  durable<Value>(name: string, create: () => Value): Value;
  /**
   * Counts the work that an event causes. Call it where your handler books, mails or queues, with `id` of the delivery; also for
   * an event that needs nothing. It counts at once, and its promise is a step.
   *
   * With an `id` that no delivery has, such as that of an order, the simulation rejects with a `TypeError`.
   *
   * @param name which work, if there are several kinds, each of which is counted by itself
   */
  effect(id: string | null, name?: string): Promise<void>;
  /**
   * Makes a step before and after each call of a method: there the instance may be killed, and other requests go on. Wrap what
   * stands for a database, and what uses a real one.
   */
  wrap<Store extends object>(store: Store): Wrapped<Store>;
  /** Waits, in the time of the simulation. */
  sleep(milliseconds: number): Promise<void>;
  /** The clock of the receiver, in milliseconds since 1970. `webhookReceiver` gets `now`, `verifyDelivery` gets `now()`. */
  now(): number;
  /** The signing secret when the instance started. */
  readonly secret: string;
  /** The signing secrets that are valid now: two while one replaces the other. */
  secrets(): string[];
}

/** A receiver of a simulation. */
export interface SimulatedReceiver {
  /** Receives a delivery, such as `fetch` of `webhookReceiver`. */
  receive(request: Request): Response | Promise<Response>;
  /** Closes what the instance opened. It is called when a run is over, also for an instance that was killed. */
  stop?(): unknown;
}

/** Creates a receiver. */
export type StartReceiver = (
  environment: SimulationEnvironment,
) => SimulatedReceiver | Promise<SimulatedReceiver>;

/** A request that is slowed down is as fast as others when it is so old, in milliseconds. */
const slowUntilMs = 20_000;
/** A promise that stays pending, so that the code of a killed instance never goes on. */
const never = () => new Promise<never>(() => {});

/** One instance of a receiver, from its start until it is killed. */
export class Instance {
  receiver: SimulatedReceiver | null = null;
  #isAlive = true;
  /** The work that belongs to no request: the start, and what a timer or a loop of the receiver does. */
  readonly #boot: Work;

  constructor(
    readonly number: number,
    private readonly run: Run,
    private readonly onKilled: () => void,
  ) {
    this.#boot = createWork({ instance: this, startedAt: run.time.now });
  }

  /** Starts it, and returns when it can receive. Rejects with what the program throws. */
  async start(start: StartReceiver): Promise<void> {
    await this.run.time.start(this.#boot, async () => {
      const receiver = await start(this.#createEnvironment());
      if (typeof receiver?.receive !== 'function') {
        throw new TypeError('simulateDeliveries: start must return { receive }, a function.');
      }
      this.receiver = receiver;
    });
  }

  /** Receives a request, and returns when it responds or takes a step. */
  async receive(work: Work, request: Request): Promise<void> {
    const { receiver, number } = this;
    const { time, requests, note } = this.run;
    if (!(this.#isAlive && receiver)) return work.respond(null);
    requests.push(Object.assign(work, { instance: this, startedAt: time.now }));
    note(`${work.title} arrives at instance ${number}`);
    await time.start(work, async () => {
      let response: Response;
      try {
        response = await receiver.receive(request);
        if (!(response instanceof Response)) throw new TypeError(`${response} is no Response`);
      } catch (error) {
        note(`instance ${number} throws: ${error}`);
        response = new Response(null, { status: 500 });
      }
      if (!this.#isAlive) return;
      Object.assign(work, { status: response.status, endedAt: time.now });
      note(`instance ${number} responds with ${response.status} to ${work.title}`);
      work.respond(response);
      work.steps += 1;
      // The response is a step too. What was done before it is not interrupted.
      if (work.faults.crash === work.steps - 1) this.#kill(work.done ? null : work);
    });
  }

  #createEnvironment(): SimulationEnvironment {
    const { run } = this;
    const { plan, time, durable } = run;
    const step = (milliseconds?: number) => this.#takeStep(milliseconds);
    const callWithSteps = async (method: () => unknown) => {
      await step();
      const result = await time.call(method);
      await step();
      return result;
    };
    const fail = (message: string) => {
      time.fail(new TypeError(message));
      return never();
    };
    return {
      instance: this.number,
      durable,
      effect: (id, name = '') => {
        const eventId = String(id);
        if (!this.#isAlive) return never();
        if (!run.requests.some((sent) => sent.eventId === eventId)) {
          return fail(
            `effect() needs the id of the delivery (got "${eventId}", which no delivery has).`,
          );
        }
        const work = this.#findWork();
        run.note(`instance ${this.number} does ${name || 'the work'} of ${eventId}`);
        run.effects.push({ eventId, name, at: time.now, work });
        work.done = true;
        return step();
      },
      wrap<Store extends object>(store: Store) {
        const proxy = new Proxy(store, {
          get(target, name) {
            const value: unknown = Reflect.get(target, name, target);
            if (typeof value !== 'function') return value;
            return (...args: unknown[]) => callWithSteps(() => value.apply(target, args));
          },
        });
        // Its methods return promises now.
        return proxy as Wrapped<Store>;
      },
      sleep: (milliseconds) =>
        Math.abs(milliseconds) <= longestMs
          ? step(milliseconds)
          : fail(`sleep() needs a number of milliseconds, a year at most (got ${milliseconds}).`),
      now: () => time.now + (plan.clock ?? 0) * 1_000,
      secret: run.secrets[0] ?? '',
      secrets: () => [...run.secrets],
    };
  }

  /** The work that runs now. What a timer of the receiver starts may be part of none. */
  #findWork(): Work {
    const { current } = this.run.time;
    return current?.instance === this ? current : this.#boot;
  }

  async #takeStep(milliseconds?: number): Promise<void> {
    if (!this.#isAlive) return never();
    const { time } = this.run;
    const work = this.#findWork();
    const { slow = 1, crash } = work.faults;
    const isSlow = time.now - work.startedAt < slowUntilMs;
    const isLast = crash === work.steps;
    work.steps += 1;
    await time.hold(milliseconds ?? (isSlow ? slow : 1), work);
    if (!isLast) return;
    this.#kill(work);
    return never();
  }

  /** Ends the instance: none of its code goes on. */
  #kill(interrupted: Work | null): void {
    const { time, requests, note } = this.run;
    this.#isAlive = false;
    note(`instance ${this.number} is killed`);
    for (const work of [this.#boot, ...requests].filter(({ instance }) => instance === this)) {
      work.killed ||= work === interrupted || work.endedAt === null || work.held > 0;
      if (work.endedAt === null) work.respond(null);
      work.endedAt ??= time.now;
      work.held = 0;
    }
    this.onKilled();
  }
}
