import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountName, Profile } from '../profile/profile';
import { runCommand } from '../profile/run-command';
import type { Receiver } from '../receiver/receiver';
import type { Mode } from '../report/report';
import type { Call, JsonObject } from '../service/call';
import { isAccepted, isObject, isUnclear, objectIn, outcome } from '../service/call';
import type { Service } from '../service/service';
import type { Change, Facts, PlacedOrder, Webhook } from './facts';
import { eventData, isAbout, isChanged } from './facts';

/** Why a run cannot judge anything: the service cannot be reached, or a key is refused. */
export class CannotRun extends Error {
  override name = 'CannotRun' as const;
}

/** What the phases of a run work with. */
export interface Run {
  profile: Profile;
  facts: Facts;
  service: Service;
  receiver: Receiver;
  /** Aborts when the person interrupts the run. */
  signal: AbortSignal;
  mode: Mode;
  /** What the commands for listings have printed, by the field of the profile. */
  listings: Map<string, string>;
  /** Whether an accepted change was not made in the time for an event: then no later one is awaited. */
  isTardy: boolean;
  /** Tells the person what the run does. */
  log(text: string): void;
}

/** Waits, and rejects if the run is interrupted. */
export const pause = (run: Run, milliseconds: number): Promise<void> =>
  sleep(Math.max(0, milliseconds), undefined, { signal: run.signal });

/** Ends a phase when the run has been interrupted. */
export const stopIfInterrupted = ({ signal }: Run): void => signal.throwIfAborted();

/** How long an event or a notification may take, in milliseconds. */
export const windowFor = ({ events }: Profile): number => events.withinSeconds * 1000;

/** The least time in which nothing must happen until "nothing" is a result: five seconds, unless events are known to be faster. */
export const quietSeconds = ({ events }: Profile): number =>
  events.quietSeconds ?? Math.min(5, events.withinSeconds);

/** That time in milliseconds; longer if events took long: five times what the slowest one took, at the slowest webhook. */
export function quietTime({ profile, changes, deliveries, webhooks }: Facts): number {
  // Deliveries that fail come late because they are retried.
  const hooks = webhooks.filter(({ behaviour }) => behaviour === 200 || behaviour === 202);
  const latencies = changes.filter(isChanged).flatMap(({ call, order, to }) =>
    hooks.flatMap((webhook) => {
      const first = deliveries.find(
        (one) =>
          one.hook === webhook.name &&
          one.at >= call.sentAt &&
          webhook.call.endedAt <= call.sentAt &&
          isAbout(one, order.id) &&
          eventData(one).status === to,
      );
      return first ? [first.at - call.endedAt] : [];
    }),
  );
  return Math.max(
    quietSeconds(profile) * 1000,
    5 * Math.min(windowFor(profile), Math.max(0, ...latencies)),
  );
}

/** Creates an order of the kit and makes it pending, if the profile says how. Null if the service did not create it. */
export async function placeOrder(
  run: Run,
  name: string,
  { quantity = 1, from = 'listing' }: { quantity?: number; from?: ListingField } = {},
): Promise<PlacedOrder | null> {
  stopIfInterrupted(run);
  const { profile, facts, service } = run;
  let listingId = await findListing(run, from, false);
  const post = () => service.callTwice('buyer', 'createOrder', { body: { listingId, quantity } });
  let call = await post();
  if (!isAccepted(call) && typeof profile[from] === 'object') {
    listingId = await findListing(run, from, true);
    call = await post();
  }
  const id = objectIn(call)?.id;
  if (typeof id !== 'string') {
    run.log(`The service did not create the order "${name}": ${outcome(call)}.`);
    return null;
  }
  const order = { name, id, listingId, quantity, created: call };
  facts.orders.push(order);
  if (profile.pending && objectIn(call)?.status !== 'pending') {
    await runCommand('pending', [...profile.pending.command, id]);
  }
  return order;
}

type ListingField = 'listing' | 'listingWithAgent';

/** Returns a listing of the profile; `another` runs its command again. */
async function findListing(run: Run, field: ListingField, another: boolean): Promise<string> {
  const listing = run.profile[field] ?? run.profile.listing;
  if (typeof listing === 'string') return listing;
  const known = another ? undefined : run.listings.get(field);
  const id = known ?? (await runCommand(field, listing.command));
  run.listings.set(field, id);
  return id;
}

/** Reads an order with the key of an account. Null if there is none in the response. */
export const readOrder = async (
  { service }: Run,
  { id }: PlacedOrder,
  caller: AccountName = 'buyer',
): Promise<JsonObject | null> => objectIn(await service.callTwice(caller, 'getOrder', { id }));

/** Requests a status of an order, and reads the order before and after. */
export async function changeStatus(
  run: Run,
  order: PlacedOrder,
  to: string,
  caller: AccountName = 'seller',
): Promise<Change> {
  stopIfInterrupted(run);
  const before = await readOrder(run, order);
  const change: Change = { order, caller, before, to, call: order.created, after: null };
  change.call = await run.service.call(caller, 'updateOrder', {
    id: order.id,
    body: { status: to },
  });
  run.facts.changes.push(change);
  const isPending = (after: JsonObject | null) =>
    isChanged(change) && to !== before?.status && after?.status === before?.status;
  // A service may accept a change and make it later. After one that it has not made, none is awaited.
  const window = run.isTardy ? 0 : windowFor(run.profile);
  change.after = await poll(
    run,
    () => readOrder(run, order),
    (after) => !isPending(after),
    window,
  );
  if (isPending(change.after)) run.isTardy = true;
  return change;
}

/** Reads until a condition holds. Returns what was read last, whether it does or not. */
export async function poll<Value>(
  run: Run,
  read: () => Promise<Value>,
  holds: (value: Value) => boolean,
  milliseconds = windowFor(run.profile),
): Promise<Value> {
  const end = Date.now() + milliseconds;
  for (let wait = 20; ; wait = Math.min(2 * wait, 500)) {
    const value = await read();
    if (holds(value) || Date.now() > end) return value;
    await pause(run, wait);
  }
}

/** Registers a webhook of the kit. */
export async function registerWebhook(
  run: Run,
  owner: AccountName,
  name: string,
  {
    events,
    behaviour,
    headers = {},
  }: Pick<Webhook, 'events' | 'behaviour'> & { headers?: Readonly<Record<string, string>> },
): Promise<Webhook> {
  stopIfInterrupted(run);
  let url = run.receiver.behave(name, behaviour);
  const register = () =>
    run.service.call(owner, 'registerWebhook', { body: { url, events }, headers });
  let call = await register();
  if (isUnclear(call)) {
    // It may exist all the same, with a secret of its own. With a key for idempotency, it is the same one.
    if (Object.keys(headers).length === 0) url = run.receiver.renew(name);
    call = await register();
  }
  const id = objectIn(call)?.id;
  const webhook: Webhook = {
    ...{ name, owner, url, events, behaviour, call, secret: null },
    id: typeof id === 'string' ? id : null,
  };
  // The teardown has to find it, also if a command of the profile fails.
  run.facts.webhooks.push(webhook);
  if (isAccepted(call)) webhook.secret = await findSecret(run.profile, call);
  return webhook;
}

/** Where the signing secret may be in the response that registers a webhook. */
export function listPointers({ webhooks }: Profile): string[] {
  const place = webhooks?.secret;
  return place && 'pointer' in place
    ? [place.pointer]
    : ['/data/secret', '/data/signingSecret', '/secret', '/signingSecret'];
}

/** The signing secret of a webhook, found as the profile says. */
export async function findSecret(profile: Profile, call: Call): Promise<string | null> {
  const place = profile.webhooks?.secret;
  if (place && 'fixed' in place) return place.fixed;
  if (place && 'command' in place) {
    const { status = 0, headers = [], body = '' } = call.response ?? {};
    const named: Record<string, string> = {};
    for (const [name, value] of headers) {
      const before = named[name.toLowerCase()];
      named[name.toLowerCase()] = before === undefined ? value : `${before}, ${value}`;
    }
    const env = { RESPONSE_STATUS: String(status), RESPONSE_HEADERS: JSON.stringify(named) };
    const input = body.toString();
    return (await runCommand('webhooks.secret', place.command, { input, env })) || null;
  }
  const found = listPointers(profile).map((pointer) => resolvePointer(call.json, pointer));
  return found.find((value) => typeof value === 'string' && value !== '') ?? null;
}

/** The text at a JSON pointer (RFC 6901). */
function resolvePointer(json: unknown, pointer: string): string | undefined {
  let value = json;
  for (const part of pointer.slice(1).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return typeof value === 'string' ? value : undefined;
}
