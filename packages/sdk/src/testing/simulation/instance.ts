import type { SignedDelivery } from '../sign-delivery';
import { longestMs, type PlannedAttempt, type SimulationPlan } from './plan';
import type { VirtualTime, Work } from './virtual-time';

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

/** The work of an instance on a request, or its start. Times are in milliseconds since 1970. */
export interface RequestWork extends Work {
  /** The ID of the event. */
  readonly eventId: string;
  /** How the history calls the request. */
  readonly title: string;
  readonly faults: PlannedAttempt;
  /** Gets the response; null if the connection is lost. */
  respond(response: Response | null): void;
  readonly instance: Instance;
  readonly startedAt: number;
  /** When it responded or was killed; null before. */
  endedAt: number | null;
  /** The status of the response; null without one. */
  status: number | null;
  /** Whether its instance was killed while it worked, before or after its response. */
  killed: boolean;
  steps: number;
}

/** A request to an instance. */
export type SentRequest = Pick<RequestWork, 'eventId' | 'title' | 'faults' | 'respond'>;

/** An effect of an event. */
export interface Effect {
  eventId: string;
  name: string;
  at: number;
  work: RequestWork;
}

/** What the instances and the service of a run share. Its functions need no `this`. */
export interface RunContext {
  readonly plan: SimulationPlan;
  readonly time: VirtualTime;
  /** The work on requests, of all instances. */
  readonly requests: RequestWork[];
  readonly effects: Effect[];
  /** The secrets that receivers have to accept. The service replaces them. */
  secrets: readonly string[];
  /** Whether an event waits until the one before is finished. */
  readonly isOrdered: boolean;
  note(text: string): void;
  durable: SimulationEnvironment['durable'];
  /** Sends a request to an instance, by its number. */
  send(instance: number, sent: SentRequest, signed: SignedDelivery): Promise<void>;
  onKilled(instance: Instance): void;
}

/** A request that is slowed down is as fast as others when it is so old, in milliseconds. */
const slowUntilMs = 20_000;
/** A promise that stays pending, so that the code of a killed instance never goes on. */
const never = () => new Promise<never>(() => {});

/** One instance of a receiver, from its start until it is killed. */
export class Instance {
  isAlive = true;
  receiver: SimulatedReceiver | null = null;
  /** The work that belongs to no request: the start, and what a timer or a loop of the receiver does. */
  readonly #boot: RequestWork;

  constructor(
    readonly number: number,
    private readonly context: RunContext,
  ) {
    this.#boot = this.#createWork({ eventId: '', title: '', faults: {}, respond: () => {} });
  }

  /** Starts it, and returns when it can receive. Rejects with what the program throws. */
  async start(start: StartReceiver): Promise<void> {
    await this.context.time.start(this.#boot, async () => {
      const receiver = await start(this.#createEnvironment());
      if (typeof receiver?.receive !== 'function') {
        throw new TypeError('simulateDeliveries: start must return { receive }, a function.');
      }
      this.receiver = receiver;
    });
  }

  /** Receives a request, and returns when it responds or takes a step. */
  async receive(sent: SentRequest, request: Request): Promise<void> {
    const { receiver, number } = this;
    const { time, requests, note } = this.context;
    if (!(this.isAlive && receiver)) return sent.respond(null);
    const work = this.#createWork(sent);
    requests.push(work);
    note(`${sent.title} arrives at instance ${number}`);
    await time.start(work, async () => {
      let response: Response;
      try {
        response = await receiver.receive(request);
        if (!(response instanceof Response)) throw new TypeError(`${response} is no Response`);
      } catch (error) {
        note(`instance ${number} throws: ${error}`);
        response = new Response(null, { status: 500 });
      }
      if (!this.isAlive) return;
      Object.assign(work, { status: response.status, endedAt: time.now });
      note(`instance ${number} responds with ${response.status} to ${sent.title}`);
      sent.respond(response);
      work.ended = true;
      work.steps += 1;
      // The response is a step too. What was done before it is not interrupted.
      if (sent.faults.crash === work.steps - 1) this.#kill(work.done ? null : work);
    });
  }

  #createWork(sent: SentRequest): RequestWork {
    const startedAt = this.context.time.now;
    const work = { held: 0, ended: false, done: false, steps: 0 };
    const begun = { ...work, status: null, endedAt: null, killed: false };
    return { ...begun, ...sent, instance: this, startedAt };
  }

  #createEnvironment(): SimulationEnvironment {
    const { context } = this;
    const { plan, time, durable, requests, effects, note } = context;
    const step = (milliseconds?: number) => this.#takeStep(milliseconds);
    const callWithSteps = async (method: () => unknown) => {
      await step();
      const result = await time.call(method);
      await step();
      return result;
    };
    return {
      instance: this.number,
      durable,
      effect: (id, name = '') => {
        const [eventId, work] = [String(id), this.#findWork()];
        if (this.isAlive) {
          if (!requests.some((sent) => sent.eventId === eventId)) {
            const given = `"${eventId}", which no delivery has`;
            time.fail(new TypeError(`effect() needs the id of the delivery (got ${given}).`));
            return never();
          }
          note(`instance ${this.number} does ${name || 'the work'} of ${eventId}`);
          effects.push({ eventId, name, at: time.now, work });
          work.done = true;
        }
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
      sleep(milliseconds) {
        if (Math.abs(milliseconds) <= longestMs) return step(milliseconds);
        const given = `a number of milliseconds, a year at most (got ${milliseconds})`;
        time.fail(new TypeError(`sleep() needs ${given}.`));
        return never();
      },
      now: () => time.now + (plan.clock ?? 0) * 1_000,
      secret: context.secrets[0] ?? '',
      secrets: () => [...context.secrets],
    };
  }

  /** The work that runs now. What a timer of the receiver starts may be part of none. */
  #findWork(): RequestWork {
    const { time, requests } = this.context;
    const current = requests.findLast((work) => work === time.current);
    return current?.instance === this ? current : this.#boot;
  }

  async #takeStep(milliseconds?: number): Promise<void> {
    if (!this.isAlive) return never();
    const { time } = this.context;
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
  #kill(interrupted: RequestWork | null): void {
    const { time, requests, note, onKilled } = this.context;
    this.isAlive = false;
    note(`instance ${this.number} is killed`);
    for (const work of [this.#boot, ...requests].filter(({ instance }) => instance === this)) {
      work.killed ||= work === interrupted || !work.ended || work.held > 0;
      if (!work.ended) work.respond(null);
      Object.assign(work, { held: 0, ended: true, endedAt: work.endedAt ?? time.now });
    }
    onKilled(this);
  }
}
