import { attemptTimeoutMs, isAcknowledged } from '@tradepost/domain/deliveries/delivery';
import { temporaryStatuses } from '../temporary-statuses';
import type { PlannedAttempt, SimulationPlan } from './plan';
import { type Effect, type Run, type SimulatedDelivery, startOfTime } from './run';
import type { Work } from './work';

/** What must hold in every run. */
export const simulationInvariants = {
  N1: 'nothing is lost: an acknowledged event has its effect',
  N2: 'an event has its effect once',
  N3: 'every delivery is acknowledged when the faults are over',
  N4: 'a forged delivery has no effect',
  N5: 'the order of deliveries does not change the result',
  N6: 'distinct events are all handled',
  N7: 'every response takes less than 15 seconds',
  N8: 'a new secret loses nothing',
  N9: 'no genuine delivery is refused',
} as const;

/** The name of an invariant. */
export type SimulationInvariant = keyof typeof simulationInvariants;

/** What can be seen of a mistake. A plan is simplified as long as it shows the same. */
export type Symptom = 'forged' | 'refused' | 'slow' | 'lost' | 'repeated' | 'unfinished' | 'order';

/** Where a run shows a symptom: the requests of the event that explain it, the one that shows it first. */
export interface Sign {
  symptom: Symptom;
  eventId: string;
  works: readonly Work[];
}

/** What went wrong, and what to do. */
export interface Finding {
  /** The invariant that does not hold. */
  invariant: SimulationInvariant;
  /** A few words for the cause, different for each cause of an invariant. */
  cause: string;
  /** What went wrong and what to do, in a sentence. */
  explanation: string;
  /** The ID of the event. */
  eventId: string;
}

/** What each cause of a symptom is, and what to do. Of a symptom, the first one that holds is the cause. */
const explanations = {
  'forged N4 forged':
    'a delivery that the service did not send had an effect: verify the signature before anything else',
  'refused N9 clock':
    'the clock of the receiver is 300 seconds off or more, so it has to refuse deliveries: set the clock',
  'refused N9 skew':
    'a genuine delivery was refused because the clocks differ by a few minutes, or it was on its way for seconds: tolerate 300 seconds',
  'refused N8 new secret':
    'a delivery was refused while a new secret replaced the old one: read the secrets for each delivery, as secrets() does, and accept both while both are valid',
  'refused N9 in flight':
    'an attempt was refused with a 4xx while another one handled the event, or after a crash had interrupted it: respond with 409 or 503, or with the result of the first one',
  'refused N9 duplicate':
    'a copy was refused with a 4xx after the event was handled: acknowledge it with a 2xx, or it is sent for 24 hours',
  'refused N9 late':
    'an attempt was refused because its event is old: compare the time with webhook-timestamp, which is that of the attempt, not with createdAt',
  'refused N9 always':
    'a genuine delivery was refused: verify the raw body with secrets(), and the time with now() of the environment',
  'slow N7 slow':
    'the response took 15 seconds or more, so the service gave up and tries again: store a job, respond, and work afterwards',
  'lost N1 acknowledged first':
    'the event was acknowledged before it was stored, and a crash lost it: respond when the work, or a job for it, is stored',
  'lost N1 recorded first':
    'a crash before the effect lost the event, because it counted as handled: record it after the effect or in the same transaction, and respond with 503 while it is only claimed',
  'lost N6 mistaken':
    'the event was taken for another one, so it had no effect: use its ID, webhook-id, as the key',
  'lost N1 never':
    'the event was acknowledged without an effect: respond with a 2xx only when the handler succeeded, and call effect() for each event, or leave its type out of the option types',
  'repeated N2 crash':
    'a crash after the effect let the next attempt repeat it: store effect and record in one transaction',
  'repeated N2 hours later':
    'the event was handled again after more than an hour: remember what was handled for longer than the 24 hours of retries',
  'repeated N2 other process':
    'one process handled the event, and another one handled it again: remember what was handled in a store that all share and that survives a restart',
  'repeated N2 simultaneous':
    'two requests handled the event at the same time: claim it in one atomic step before the effect, for longer than the handler runs',
  'repeated N2 again':
    'a delivery that arrived again was handled again: remember each event by its ID, webhook-id, which is the same in every attempt',
  'unfinished N3 crash':
    'after a crash, every further attempt was rejected: let the claim of a killed process expire within minutes',
  'unfinished N3 error': 'the event was not acknowledged in 24 hours: the responses below say why',
  'order N5 order':
    'the result differs from that of the same events in order: apply a change only if its orderVersion is higher than the stored one, or read the current state',
} as const satisfies Record<`${Symptom} ${SimulationInvariant} ${string}`, string>;

type Works = readonly Work[];
const isSimultaneous = (_: SimulationPlan, [one, ...others]: Works) =>
  others.some(
    ({ startedAt, endedAt }) =>
      one && startedAt <= one.startedAt && (endedAt ?? Infinity) > one.startedAt,
  );
const hasFault = (events: SimulationPlan['events'], holds: (one: PlannedAttempt) => boolean) =>
  events.some(({ attempts = [] }) => attempts.some(holds));
const hasKilled = (_: SimulationPlan, works: Works) => works.some(({ killed }) => killed);

/** When a cause holds, if not always. In the simplest plan, all that is left is needed. */
const conditions: {
  readonly [Key in keyof typeof explanations]?: (plan: SimulationPlan, works: Works) => boolean;
} = {
  'refused N9 clock': ({ clock = 0 }) => Math.abs(clock) >= 300,
  'refused N9 skew': ({ clock = 0, events }) =>
    clock !== 0 || hasFault(events, ({ late = 0, copy = 0 }) => Math.max(late, copy) >= 1_000),
  'refused N8 new secret': ({ rotation }) => rotation !== undefined,
  'refused N9 in flight': (plan, works) => isSimultaneous(plan, works) || hasKilled(plan, works),
  'refused N9 duplicate': (_, [, ...others]) => others.some(isAcknowledged),
  'refused N9 late': ({ events }) => hasFault(events, ({ lose }) => lose !== undefined),
  'lost N1 acknowledged first': (_, works) =>
    works.some((one) => one.killed && isAcknowledged(one)),
  'lost N1 recorded first': hasKilled,
  'lost N6 mistaken': ({ events }) => events.length > 1,
  'repeated N2 crash': (_, [, first]) => first?.killed === true,
  'repeated N2 hours later': (_, [again, first]) =>
    (again?.startedAt ?? 0) - (first?.startedAt ?? 0) > 3_600_000,
  'repeated N2 other process': ({ instances }, [again, first]) =>
    instances > 1 || again?.instance !== first?.instance,
  'repeated N2 simultaneous': isSimultaneous,
  'unfinished N3 crash': hasKilled,
};

/** Explains a sign by the simplest plan that shows it. */
export function explainSign({ symptom, eventId, works }: Sign, plan: SimulationPlan): Finding {
  // The keys are those of the table, each a symptom, an invariant and a cause; the last of a symptom always holds.
  const keys = Object.keys(explanations) as (keyof typeof explanations)[];
  const key = keys.find(
    (name) => name.startsWith(symptom) && (conditions[name]?.(plan, works) ?? true),
  ) as keyof typeof explanations;
  const [, invariant, ...cause] = key.split(' ') as [Symptom, SimulationInvariant, ...string[]];
  return { invariant, cause: cause.join(' '), explanation: explanations[key], eventId };
}

/**
 * Lists what a run shows, the most telling first.
 *
 * @param ordered the run of the same events in order, without faults
 * @param hasEffects whether the receiver calls `effect` at all
 * @param atomic whether a crash must not repeat an effect either
 */
export function listSigns(run: Run, ordered: Run, hasEffects: boolean, atomic: boolean): Sign[] {
  const signs: Sign[] = [];
  const add = (symptom: Symptom, eventId: string, works: readonly Work[] = []) =>
    signs.push({ symptom, eventId, works });
  const findWorks = (id: string) => run.requests.filter(({ eventId }) => eventId === id);

  const known = new Set(run.deliveries.map(({ id }) => id));
  for (const { eventId } of run.effects) if (!known.has(eventId)) add('forged', eventId);
  for (const work of run.requests) {
    const { eventId, status, startedAt } = work;
    const isRefused = status !== null && status >= 400 && status < 500;
    if (!(isRefused && known.has(eventId))) continue;
    const isBefore = (other: Work) => other !== work && other.startedAt <= startedAt;
    const before = findWorks(eventId).filter(isBefore);
    // A conflict ends with the request that it is with. With a delivery that was handled, it lasts.
    const isHandled = before.some(
      (other) => isAcknowledged(other) && !(Number(other.endedAt) > startedAt),
    );
    if (temporaryStatuses.includes(status) && !(status === 409 && isHandled)) continue;
    add('refused', eventId, [work, ...before]);
  }
  for (const { eventId, startedAt, endedAt } of isSlowed(run) ? [] : run.requests) {
    if ((endedAt ?? 0) - startedAt >= attemptTimeoutMs) add('slow', eventId);
  }
  for (const { id } of hasEffects ? run.deliveries : []) {
    const works = findWorks(id);
    const hasEffect = run.effects.some(({ eventId }) => eventId === id);
    if (!hasEffect && works.some(isAcknowledged)) add('lost', id, works);
  }
  for (const { first, again } of listRepeated(run)) {
    if (!atomic && first.work.killed) continue;
    add('repeated', first.eventId, [{ ...again.work, startedAt: again.at }, first.work]);
  }
  for (const delivery of run.deliveries.filter(isJudgedByEnd)) {
    if (delivery.state === 'failed') add('unfinished', delivery.id, findWorks(delivery.id));
  }
  if (isComplete(run) && run.snapshot !== ordered.snapshot && !isRepeatedByCrash(run)) {
    add('order', run.deliveries[0]?.id ?? '');
  }
  return signs;
}

/** Whether an instance was slowed down, which may hold up its other requests too: then no time is judged. */
function isSlowed({ requests }: Run): boolean {
  return requests.some(({ faults }) => faults.slow !== undefined);
}

/** Whether a delivery had an attempt without a planned fault. Faults and backoff may take all those of 24 hours. */
function isJudgedByEnd({ planned, attempts }: SimulatedDelivery): boolean {
  return attempts > (planned.attempts?.length ?? 0);
}

/** Whether every delivery was acknowledged. Without one of them, another result is right. */
function isComplete({ deliveries }: Run): boolean {
  return deliveries.every(({ state }) => state === 'delivered');
}

/** Lists the invariants that a run could have broken. */
export function listJudged(run: Run, hasEffects: boolean): SimulationInvariant[] {
  const { plan, requests } = run;
  const rotatedAt = startOfTime + (plan.rotation ?? Number.POSITIVE_INFINITY);
  const couldBreak: Partial<Record<SimulationInvariant, boolean>> = {
    N1: hasEffects,
    N2: hasEffects,
    N3: run.deliveries.some(isJudgedByEnd),
    N4: hasEffects && (plan.forged ?? []).length > 0,
    N5: run.snapshot !== null && isComplete(run),
    N6: hasEffects,
    N7: !isSlowed(run),
    N8: requests.some(({ startedAt }) => startedAt >= rotatedAt),
  };
  const isJudged = (name: SimulationInvariant) => couldBreak[name] ?? true;
  // The keys are those of the table.
  return (Object.keys(simulationInvariants) as SimulationInvariant[]).filter(isJudged);
}

/** Whether an effect happened again because of a crash before it was recorded. */
export function isRepeatedByCrash(run: Run): boolean {
  return listRepeated(run).some(({ first }) => first.work.killed);
}

/** Lists the effects that happened again, each with the one before. */
function listRepeated({ effects }: Run): { first: Effect; again: Effect }[] {
  return effects.flatMap((again, index) => {
    const isSame = ({ eventId, name }: Effect) => eventId === again.eventId && name === again.name;
    const first = effects.slice(0, index).findLast(isSame);
    return first ? [{ first, again }] : [];
  });
}
