import { parties } from '../../profile/profile';
import { isAccepted, type JsonObject, objectIn } from '../../service/call';
import {
  attemptsAt,
  type Change,
  changesDelivered,
  isAbout,
  isChanged,
  isFirstChange,
  type PlacedOrder,
} from '../facts';
import { attemptsUntilSuccess, failing } from '../retries';
import {
  changeStatus,
  pause,
  placeOrder,
  poll,
  quietSeconds,
  type Run,
  readOrder,
  registerWebhook,
  stopIfInterrupted,
  windowFor,
} from '../run';

/** Waits for the events of the first change, finds whose webhooks get them, and watches what is delivered there. */
export async function checkEvents(run: Run, withRetries: boolean): Promise<void> {
  const { facts, receiver, profile, signal } = run;
  const first = facts.changes.find(({ order }) => order.name === 'main');
  if (!(first && isChanged(first))) return;
  const reached = () =>
    (['seller', 'buyer', 'agent'] as const).filter(
      (account) => changesDelivered(facts, `ok-${account}`, first.order.id).length > 0,
    );
  run.log('Waiting for the event of the change');
  await receiver.waitUntil(() => reached().length > 0, windowFor(profile), signal);
  stopIfInterrupted(run);
  const [observer] = reached();
  if (observer === undefined) return;
  facts.observer = observer;

  const kinds = ['order.created', 'order.status_changed'];
  const more = [
    { name: 'created-only', events: ['order.created'], behaviour: 201 },
    { name: 'status-202', events: kinds, behaviour: 202 },
    { name: 'status-204', events: kinds, behaviour: 204 },
  ];
  for (const { name, ...webhook } of more) await registerWebhook(run, observer, name, webhook);
  if (withRetries) {
    for (const [name, behaviour] of Object.entries(failing)) {
      const events = ['order.status_changed'];
      await registerWebhook(run, observer, name, { events, behaviour });
    }
    await startRetries(run);
  }
  await watchFiveChanges(run, `ok-${observer}`);
  await changeAgain(run, first);
}

/** Changes one order once, and another one twice, so that the first change of it is retried after the second one. */
async function startRetries(run: Run): Promise<void> {
  const { facts, receiver, mode } = run;
  run.log('Failing deliveries, so that they are retried');
  const once = await placeOrder(run, 'retried');
  const twice = await placeOrder(run, 'retried and changed');
  for (const [hook, limit] of Object.entries(attemptsUntilSuccess)) {
    receiver.beforeResponse(hook, async (delivery) => {
      const attempts = (id: string) => changesDelivered(facts, hook, id).length;
      const isFailing =
        once && isAbout(delivery, once.id)
          ? isFirstChange(delivery) &&
            (attemptsAt(facts, hook).length <= limit || (mode === 'long' && hook === 'status-500'))
          : twice &&
            isAbout(delivery, twice.id) &&
            hook === 'status-404' &&
            attempts(twice.id) <= 3;
      // All other deliveries arrive: a service may slow down an endpoint that keeps failing.
      if (!isFailing) delivery.behaviour = 204;
    });
  }
  receiver.behave('trap', 404);
  facts.retries = { from: Date.now(), until: Date.now() };
  if (once) await changeStatus(run, once, 'fulfilling');
  if (twice) await changeAgain(run, await changeStatus(run, twice, 'fulfilling'));
}

/** Changes five orders, and reads each one before its delivery gets a response. */
async function watchFiveChanges(run: Run, hook: string): Promise<void> {
  const { facts, receiver, profile, signal } = run;
  run.log('Changing five orders, and reading each while it is delivered');
  const changes: Change[] = [];
  let held = false;
  receiver.beforeResponse(hook, async (delivery) => {
    const order = facts.orders.find(({ name, id }) => name === 'watched' && isAbout(delivery, id));
    if (!order || !changesDelivered(facts, hook, order.id).includes(delivery)) return;
    const recordStatus = async () => {
      const status = (await readOrder(run, order))?.status;
      facts.statusReads.push({ order, delivery, status });
    };
    await recordStatus();
    if (held) return;
    held = true;
    // A service that waits for the response before it stores the change shows the old status until then.
    await pause(run, Math.min(2000, quietSeconds(profile) * 1000));
    await recordStatus();
  });
  for (let count = 0; count < 5; count += 1) {
    const from = count === 0 && profile.listingWithAgent ? 'listingWithAgent' : 'listing';
    const order = await placeOrder(run, 'watched', { from });
    if (order === null) continue;
    const caller = count === 0 && (await hasAgent(run, order)) ? 'agent' : 'seller';
    const change = await changeStatus(run, order, 'fulfilling', caller);
    changes.push(change);
  }
  const isAt = (name: string, { order }: Change) =>
    changesDelivered(facts, name, order.id).length > 0;
  const further = facts.webhooks.filter(
    ({ name, call }) => /^status-20/.test(name) && isAccepted(call),
  );
  const arrived = () =>
    changes.filter(isChanged).every((change) =>
      // Events may be delivered to the account alone that has made the change.
      change.caller === facts.observer || isAt(hook, change)
        ? [hook, ...further.map(({ name }) => name)].every((name) => isAt(name, change))
        : parties.some((party) => isAt(`ok-${party}`, change)),
    );
  await receiver.waitUntil(arrived, windowFor(profile), signal);
  stopIfInterrupted(run);
}

/** Whether an order has an agent. A service may assign it a little later, if the profile names a listing whose orders have one. */
async function hasAgent(run: Run, order: PlacedOrder): Promise<boolean> {
  const isAssigned = (record: JsonObject | null) => typeof record?.agentId === 'string';
  if (isAssigned(objectIn(order.created))) return true;
  if (run.profile.listingWithAgent === undefined) return false;
  return isAssigned(await poll(run, () => readOrder(run, order), isAssigned));
}

/** Requests the status that an order has got once more, and then the next one that the service accepts. */
async function changeAgain(run: Run, { order, to }: Change): Promise<void> {
  await changeStatus(run, order, to);
  for (const status of ['completed', 'cancelled', 'confirmed']) {
    if (isChanged(await changeStatus(run, order, status))) break;
  }
}
