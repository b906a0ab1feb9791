import { setTimeout as sleep } from 'node:timers/promises';
import { type Party, parties } from '../../profile/profile';
import { type Caller, isAccepted, listIn } from '../../service/call';
import { idsOfOrders, isChanged, type Marking, notificationsSeen, type Seen } from '../facts';
import { poll, quietSeconds, type Run, stopIfInterrupted, windowFor } from '../run';
import { keyless, probe } from './orders';

/** Reads the notifications of every account once. */
export async function readNotifications({ service }: Run): Promise<void> {
  for (const account of [...parties, 'stranger'] as const) {
    await service.callTwice(account, 'listNotifications');
  }
}

/** Waits for the notification of the first change, marks one, and sends what must mark none. */
export async function checkNotifications(run: Run): Promise<void> {
  const { facts, profile } = run;
  await probeKeys(run);
  const change = facts.changes.find(({ order }) => order.name === 'main');
  if (!(change && isChanged(change))) return;
  run.log('Waiting for the notification of the change');
  const deadline = Date.now() + windowFor(profile);
  const arrived = () =>
    notificationsSeen(facts).some(
      ({ record }) => record.orderId === change.order.id && record.type === 'order_status_changed',
    );
  await readNotifications(run);
  while (!arrived() && Date.now() < deadline) {
    await sleep(Math.min(500, quietSeconds(profile) * 200), undefined, { signal: run.signal });
    await readNotifications(run);
  }
  const owner =
    parties.find((party) => unread(run, party).length >= 2) ??
    parties.find((party) => unread(run, party).length > 0);
  if (owner === undefined) return;
  run.log('Marking notifications as read');
  await probeMarking(run, owner);
  await mark(run, owner, unread(run, owner)[0], { read: true });
  const marked = facts.markings.at(-1);
  if (marked && marked.after.get(marked.id) === true) {
    for (const read of [true, false]) await mark(run, owner, marked.id, { read });
  }
  // NTF-11: another client may mark one at the same time as the kit, but hardly twice.
  await mark(run, owner, unread(run, owner)[0], { read: true });
}

/** The latest list of an account: the `read` of each notification. */
function latest({ facts }: Run, account: Party): Map<string, unknown> {
  const call = facts.calls.findLast(
    (one) => one.operation === 'listNotifications' && one.caller === account && isAccepted(one),
  );
  const entries = call ? listIn(call).map(({ id, read }) => [id, read] as const) : [];
  return new Map(entries.flatMap(([id, read]) => (typeof id === 'string' ? [[id, read]] : [])));
}

/** The unread notifications of an account about the run's orders. */
function unread(run: Run, account: Party): string[] {
  const ours = idsOfOrders(run.facts);
  const isOurs = ({ record }: Seen) => ours.has(String(record.orderId));
  const ids = new Set(
    notificationsSeen(run.facts)
      .filter(isOurs)
      .map(({ record }) => record.id),
  );
  return [...latest(run, account)].flatMap(([id, read]) =>
    read === false && ids.has(id) ? [id] : [],
  );
}

async function mark(run: Run, owner: Party, id: string | undefined, body: Marking['body']) {
  if (id === undefined) return;
  stopIfInterrupted(run);
  const { facts, service } = run;
  const listAll = async () => {
    for (const party of parties) await service.callTwice(party, 'listNotifications');
    return new Map(parties.flatMap((party) => [...latest(run, party)]));
  };
  const before = await listAll();
  const call = await service.call(owner, 'readNotification', { id, body });
  // A service may make a change later, and one of several replicas may be behind.
  const isAwaited = before.get(id) === true || (isAccepted(call) && body.read === true);
  const list = await poll(
    run,
    () => service.callTwice(owner, 'listNotifications'),
    () => !isAwaited || latest(run, owner).get(id) !== false,
  );
  const isRead = latest(run, owner).get(id);
  const after = await listAll();
  if (after.has(id)) after.set(id, isRead);
  facts.markings.push({ owner, id, body, call, before, after, list });
}

/** Requests without a valid key that list notifications and register webhooks. */
async function probeKeys(run: Run): Promise<void> {
  for (const [check, caller, who] of keyless) {
    await probe(run, check, who, [caller, 'listNotifications'], async (call) =>
      listIn(call).length > 0 ? 'the response has notifications' : null,
    );
    const url = run.receiver.behave(`refused-${check}`, 204);
    const body = { url, events: ['order.created', 'order.status_changed'] };
    // What is delivered there is judged at the end.
    await probe(run, check, who, [caller, 'registerWebhook', { body }], async () => null);
  }
}

/** Requests that must mark no notification. */
async function probeMarking(run: Run, owner: Party): Promise<void> {
  const { service } = run;
  const patch = async (check: string, label: string, caller: Caller, body: object) => {
    const id = unread(run, owner)[0];
    if (id === undefined) return;
    const findEffect = async (marked: string) => {
      await service.callTwice(owner, 'listNotifications');
      const isRead = latest(run, owner).get(marked) === true;
      return isRead ? `the notification ${marked} became read` : null;
    };
    await probe(run, check, label, [caller, 'readNotification', { id, body }], async () => {
      const effect = await findEffect(id);
      const [other] = unread(run, owner);
      if (effect === null || other === undefined) return effect;
      // Another client may have marked it at the same time: what the request does, it does again.
      await service.callTwice(caller, 'readNotification', { id: other, body });
      return findEffect(other);
    });
  };
  for (const [check, caller, who] of keyless) await patch(check, who, caller, { read: true });
  await patch('VIS-4', "with the stranger's key", 'stranger', { read: true });
  for (const body of [{ read: false }, {}, { read: 'true' }]) {
    await patch('NTF-12', `with ${JSON.stringify(body)}`, owner, body);
  }
}
