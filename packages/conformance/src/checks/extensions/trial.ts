import type { AccountName } from '../../profile/profile';
import type { Delivery } from '../../receiver/receiver';
import { isAbout, type PlacedOrder, type Webhook } from '../../run/facts';
import {
  pause,
  placeOrder,
  poll,
  quietTime,
  type Run,
  registerWebhook,
  windowFor,
} from '../../run/run';
import {
  type Call,
  type Caller,
  findHeader,
  isAccepted,
  isObject,
  isUnclear,
  type JsonObject,
  listIn,
  measureClockOffset,
  objectIn,
  outcome,
} from '../../service/call';

/** What a service offers: names of `Tradepost-Extensions` and of the profile, and the headers of a response. */
export interface Offer {
  names: ReadonlySet<string>;
  hasHeader(name: string): boolean;
}

/** The service breaks a promise. */
export class Broken extends Error {}
/** The check could not observe whether the service keeps the promise. */
export class Unclear extends Error {}
/** The service does not offer what was to be checked. */
export class NotOffered extends Error {}

/** The work of one check: its requests, and what they show. */
export class Trial {
  /** Every request, for the evidence. */
  readonly calls: Call[] = [];
  /** The deliveries that were judged, for the evidence. */
  readonly deliveries: Delivery[] = [];
  readonly #webhooks: Webhook[] = [];

  constructor(
    readonly run: Run,
    readonly offer: Offer,
  ) {}

  /** Requires what a right service does. `observed` says what this one does instead. */
  expect(holds: boolean, observed: string): void {
    if (!holds) throw new Broken(observed);
  }

  /**
   * Sends a request. `Unclear` if it was neither accepted nor rejected.
   *
   * @param request `GET /v1/orders?limit=1`
   */
  async send(
    caller: Caller,
    request: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Call> {
    const [method = '', path = ''] = request.split(' ');
    const call = await this.run.service.send(caller, method, path, { body, headers });
    this.calls.push(call);
    if (isUnclear(call)) throw new Unclear(`${request} was ${outcome(call)}.`);
    return call;
  }

  /** Sends a request that the extension promises to accept. */
  async accepted(...request: Parameters<Trial['send']>): Promise<Call> {
    const call = await this.send(...request);
    this.expect(isAccepted(call), `${request[1]} of the ${request[0]} was ${outcome(call)}.`);
    return call;
  }

  /** As `accepted`; returns the object in `data`. */
  async object(...request: Parameters<Trial['send']>): Promise<JsonObject> {
    return objectIn(await this.accepted(...request)) ?? {};
  }

  /** As `accepted`; returns the list in `data`. */
  async list(...request: Parameters<Trial['send']>): Promise<JsonObject[]> {
    return listIn(await this.accepted(...request));
  }

  /** Sends a request that the extension promises to reject. */
  async rejected(...request: Parameters<Trial['send']>): Promise<Call> {
    const call = await this.send(...request);
    this.expect(!isAccepted(call), `${request[1]} of the ${request[0]} was ${outcome(call)}.`);
    return call;
  }

  /** Creates an order of the buyer. */
  async order(): Promise<PlacedOrder> {
    const order = await placeOrder(this.run, 'extension');
    if (order === null) throw new Unclear('The service created no order for this check.');
    this.calls.push(order.created);
    return order;
  }

  /** Changes the status of an order with the seller's key, which core checks have proved to work. */
  async change({ id }: { id?: unknown }, status = 'fulfilling'): Promise<Call> {
    const call = await this.send('seller', `PATCH /v1/orders/${id}`, { body: { status } });
    if (!isAccepted(call)) throw new Unclear(`A change to ${status} was ${outcome(call)}.`);
    return call;
  }

  /** Requests the registration of a webhook. It is deleted after the check, if the service can. One name has one URL. */
  async register(
    owner: AccountName,
    events: string[],
    { name = `x${crypto.randomUUID().slice(0, 8)}`, headers = {} } = {},
  ): Promise<Webhook> {
    const options = { events, behaviour: 204, headers } as const;
    const webhook = await registerWebhook(this.run, owner, name, options);
    // A secret that was not found would be shown in the evidence.
    if (webhook.secret !== null || !isAccepted(webhook.call)) this.calls.push(webhook.call);
    this.#webhooks.push(webhook);
    return webhook;
  }

  /** As `register`; returns a webhook whose ID and secret are known. */
  async hook(...request: Parameters<Trial['register']>): Promise<Hook> {
    const webhook = await this.register(...request);
    const { id, secret } = webhook;
    if (id && secret) return { ...webhook, id, secret };
    throw new Unclear('The service registered no webhook, or its ID or secret was not found.');
  }

  /** Deletes the webhooks of the check, if the service can: an account may have few. */
  async end(): Promise<void> {
    const { service } = this.run;
    if (!this.offer.names.has('webhooks.manage')) return;
    for (const webhook of this.#webhooks.splice(0)) {
      if (webhook.id === null) continue;
      const call = await service.send(webhook.owner, 'DELETE', `/v1/webhooks/${webhook.id}`);
      webhook.isDeleted = isAccepted(call) || call.response?.status === 404;
    }
  }

  /** Changes an order. The first attempt at a new webhook of the seller gets a 500; further ones are accepted. */
  async rejectedAttempt(): Promise<{ hook: Hook; order: PlacedOrder; first: Delivery }> {
    const hook = await this.hook('seller', ['order.status_changed']);
    const order = await this.order();
    this.run.receiver.beforeResponse(hook.name, async (delivery) => {
      if (this.arrivals(hook, order)[0] === delivery) delivery.behaviour = 500;
    });
    await this.change(order);
    return { hook, order, first: await this.arrival(hook, order) };
  }

  /** What arrived at a webhook about an order, or about anything. */
  arrivals({ name }: { name: string }, order?: { id?: unknown }): Delivery[] {
    return this.run.receiver.deliveries.filter(
      (delivery) => delivery.hook === name && (!order || isAbout(delivery, String(order.id))),
    );
  }

  /**
   * Waits for the delivery with a number, from 1, about an order. `Broken` if it does not arrive in time.
   *
   * @param isRetry Then it may take as long as the profile says of retries, at least half a minute. Without that, its absence shows nothing.
   */
  async arrival(
    hook: { name: string; url: string },
    order: { id?: unknown } | undefined,
    number = 1,
    isRetry = false,
  ): Promise<Delivery> {
    const { profile, receiver, signal } = this.run;
    const first = (profile.retries?.firstWithinSeconds ?? 0) * 1000;
    const window = isRetry ? Math.max(30_000, 2 * first) : windowFor(profile);
    const find = () => this.arrivals(hook, order)[number - 1];
    await receiver.waitUntil(() => find() !== undefined, window, signal);
    signal.throwIfAborted();
    const delivery = find();
    if (delivery) {
      this.deliveries.push(delivery);
      return delivery;
    }
    const text = `Delivery ${number} did not arrive at ${hook.url} in ${window / 1000} s.`;
    throw isRetry && !profile.retries ? new Unclear(text) : new Broken(text);
  }

  /** Reads until a condition holds. Returns what was read last, whether it does or not. */
  poll = <Value>(
    read: () => Promise<Value>,
    holds: (value: Value) => boolean,
    milliseconds?: number,
  ): Promise<Value> => poll(this.run, read, holds, milliseconds);

  /** A time of the service by the clock of the kit, in milliseconds since 1970. */
  toKitTime = (time: number): number => time - measureClockOffset(this.run.facts.calls);

  /** Waits until what must not arrive would have arrived. */
  quiet = (): Promise<void> => pause(this.run, quietTime(this.run.facts));
}

/** A webhook whose ID and secret are known. */
export type Hook = Webhook & { id: string; secret: string };

/** The value of a header of a response or a delivery; null if it is absent. */
export function headerIn(
  message: { response: Call['response'] } | Pick<Delivery, 'headers'>,
  name: string,
): string | null {
  const headers = 'response' in message ? (message.response?.headers ?? []) : message.headers;
  return findHeader(headers, name);
}

/** A member of a body beside `data`. */
export const besideData = ({ json }: Call, name: string): unknown =>
  isObject(json) ? json[name] : undefined;

/** Returns the cursor of the next page, encoded for a query. Null on the last page. */
export function nextCursor(page: Call): string | null {
  const cursor = besideData(page, 'nextCursor');
  return typeof cursor === 'string' ? encodeURIComponent(cursor) : null;
}
