import { setTimeout as sleep } from 'node:timers/promises';
import { parties } from '../../profile/profile';
import type { Delivery } from '../../receiver/receiver';
import { isAccepted, objectIn } from '../../service/call';
import { createService } from '../../service/service';
import {
  attemptsAt,
  changeNotifications,
  changesDelivered,
  eventData,
  type Facts,
  isChanged,
  kindOf,
  listExtensions,
} from '../facts';
import {
  attemptsUntilSuccess,
  type FailingHook,
  failing,
  patience,
  silenceAfterSuccess,
  succeeding,
} from '../retries';
import {
  changeStatus,
  pause,
  quietTime,
  type Run,
  readOrder,
  stopIfInterrupted,
  windowFor,
} from '../run';
import { readNotifications } from './notifications';

const minute = 60_000;
const hour = 60 * minute;

/** Waits until what must not happen would have happened: after one more change whose event arrives, and a quiet time. */
export async function awaitSilence(run: Run, withRetries: boolean): Promise<void> {
  const { facts, receiver, profile, signal } = run;
  const probed = facts.orders.findLast(({ name }) => name === 'probe');
  if (probed) {
    run.log('Changing the order that must not have changed before');
    const change = await changeStatus(run, probed, 'fulfilling');
    const hook = `ok-${facts.observer ?? 'seller'}`;
    const arrived = () => changesDelivered(facts, hook, probed.id).length > 0;
    if (isChanged(change) && facts.observer)
      await receiver.waitUntil(arrived, windowFor(profile), signal);
  }
  stopIfInterrupted(run);
  if (withRetries) await observeRetries(run);
  await readNotifications(run);
  run.log('Waiting for events that are late');
  const rest = Math.max(0, ...facts.changes.map(({ call }) => call.endedAt)) + windowFor(profile);
  await receiver.waitUntil(() => hasEvents(facts), rest - Date.now(), signal);
  stopIfInterrupted(run);
  const quiet = quietTime(facts);
  run.log(`Waiting ${(quiet / 1000).toFixed(1)} s for deliveries that must not come`);
  await pause(run, quiet);
  if (facts.retries) facts.retries.until = Date.now();
  await readNotifications(run);
  // A service may change orders itself.
  for (const order of new Set(facts.changes.map((change) => change.order)))
    await readOrder(run, order);
}

/** Whether every account that has the notification of a change has its event, and one webhook has that of a new order. */
function hasEvents(facts: Facts): boolean {
  const ours = facts.webhooks.filter(({ name, owner }) => name === `ok-${owner}`);
  const isCreated = facts.deliveries.some((one) => kindOf(one) === 'order.created');
  if (facts.observer === null) return true;
  return (
    isCreated &&
    facts.changes.filter(isChanged).every(({ order }) =>
      parties.every((party) => {
        const hook = ours.find(({ owner, call }) => owner === party && isAccepted(call));
        const isNotified = changeNotifications(facts, order.id, party).length > 0;
        return !hook || !isNotified || changesDelivered(facts, hook.name, order.id).length > 0;
      }),
    )
  );
}

/** Observes until every delivery has been attempted often enough, or as long as the mode and the profile allow. */
async function observeRetries(run: Run): Promise<void> {
  const { facts, receiver, profile, signal } = run;
  if (facts.retries === null) return;
  run.log('Observing retries');
  const { from } = facts.retries;
  const hooks = (Object.keys(failing) as FailingHook[]).filter((hook) =>
    facts.webhooks.some(({ name, call }) => name === hook && isAccepted(call)),
  );
  const isSettled = (hook: FailingHook) => {
    const attempts = attemptsAt(facts, hook);
    const [first, second] = attempts;
    const isSucceeding = succeeding.some((name) => name === hook);
    const since = first?.at ?? from + windowFor(profile);
    if (Date.now() > since + patience(facts, hook, attempts.length)) return true;
    if (attempts.length < Math.max(2, attemptsUntilSuccess[hook])) return false;
    return !(isSucceeding && second) || Date.now() > second.at + silenceAfterSuccess(facts);
  };
  const isDone = () => hooks.every(isSettled);
  const limit =
    from + windowFor(profile) + Math.max(...hooks.map((hook) => patience(facts, hook, 3)));
  while (Date.now() < limit && !isDone()) {
    await receiver.waitUntil(isDone, Math.min(100, limit - Date.now()), signal);
    facts.retries.until = Date.now();
    stopIfInterrupted(run);
  }
}

/** Observes the delivery that fails for a day to its end. */
export async function observeDay(run: Run): Promise<void> {
  const { retries } = run.facts;
  if (retries === null) return;
  run.log('Observing retries for a day');
  while (Date.now() < retries.from + 24.5 * hour) {
    await pause(run, Math.min(minute, retries.from + 24.5 * hour - Date.now()));
    retries.until = Date.now();
  }
}

/** Twice the longest wait of a long run would be hours. */
const longestDrain = 20_000;

/** The attempts of every delivery of a run: what the same webhook got about the same change. */
function listAttempts({ deliveries }: Facts): Delivery[][] {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    const key = JSON.stringify([delivery.hook, kindOf(delivery), eventData(delivery)]);
    groups.set(key, [...(groups.get(key) ?? []), delivery]);
  }
  return [...groups.values()];
}

/** The longest time between two attempts of a delivery, in milliseconds. */
const longestGap = (facts: Facts): number =>
  Math.max(
    0,
    ...listAttempts(facts).flatMap((attempts) =>
      attempts.slice(1).map(({ at }, index) => at - (attempts[index]?.at ?? at)),
    ),
  );

/** Whether a delivery to a webhook of the run has had no 2xx. */
const isRetryDue = (facts: Facts): boolean =>
  listAttempts(facts).some((attempts) =>
    attempts.every(
      ({ hook, behaviour }) =>
        hook !== null && !(typeof behaviour === 'number' && behaviour >= 200 && behaviour < 300),
    ),
  );

/**
 * Ends all deliveries and cancels the orders of the run. Nothing of it is judged. Returns what stays, a line each: all that is left when a
 * request gets no response within five seconds, or after a minute.
 */
export async function tearDown(run: Run): Promise<string[]> {
  const { facts, profile, receiver } = run;
  receiver.calm();
  const left: string[] = [];
  let cancelled = 0;
  const stop = new AbortController();
  const service = createService(
    profile,
    AbortSignal.any([stop.signal, AbortSignal.timeout(minute)]),
    () => undefined,
    5,
    5_000,
  );
  const attempt = async (...request: Parameters<typeof service.send>) => {
    const call = await service.send(...request).catch(() => null);
    if (call?.response === null) stop.abort();
    return call;
  };
  for (const { id } of facts.orders) {
    const path = `/v1/orders/${encodeURIComponent(id)}`;
    await attempt('seller', 'PATCH', path, { body: { status: 'cancelled' } });
    const call = await attempt('buyer', 'GET', path);
    const status = call && objectIn(call)?.status;
    if (status === 'cancelled') cancelled += 1;
    else left.push(`order ${id} (${typeof status === 'string' ? status : 'not readable'})`);
  }
  if (cancelled > 0) left.push(`${cancelled} cancelled orders`);
  const canDelete = listExtensions(facts) !== null;
  // What is still under way arrives before the receiver is gone.
  await sleep(Math.min(1000, quietTime(facts)));
  // An interrupted run ends soon, and webhooks that are deleted get no retries.
  if (!(canDelete || run.signal.aborted)) {
    const limit = Math.min(longestDrain, 2 * longestGap(facts));
    await receiver.waitUntil(() => !isRetryDue(facts), limit, new AbortController().signal);
  }
  for (const { name, id, url, owner, call, isDeleted } of facts.webhooks) {
    if (!isAccepted(call) || isDeleted) continue;
    const deleted =
      canDelete &&
      id !== null &&
      (await attempt(owner, 'DELETE', `/v1/webhooks/${encodeURIComponent(id)}`));
    if (!deleted || !isAccepted(deleted)) left.push(`webhook ${name} of the ${owner}: ${url}`);
  }
  service.close();
  return left;
}
