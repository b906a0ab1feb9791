import type { Delivery } from '../receiver/receiver';
import type { CheckClass, Level } from '../report/report';
import type { Facts, Judgement, PhaseName, PlacedOrder, Probe } from '../run/facts';
import { type Call, isAccepted, isLimited, isUnclear, outcome } from '../service/call';

/** A check: what is right, why, and how the facts of a run are judged. */
export interface Check {
  id: string;
  /** Defaults to `core`. */
  level?: Level;
  class: CheckClass;
  title: string;
  /** The section of the specification and its sentence, word for word; null for advice. */
  source: readonly [section: string, sentence: string] | null;
  method: string;
  /** The phase whose facts it judges. */
  phase: PhaseName;
  /** The checks without which there is nothing to judge. */
  needs?: readonly string[];
  /** Checks of whose failure a failure of this one is a consequence: it is blocked by them then. */
  follows?: readonly string[];
  /** Why there may be nothing to judge although those passed. It is `n/a` then, and `inconclusive` without this text. */
  ifNothing?: string;
  /** Whether it needs retries, which a quick run does not observe, or a whole day of them. */
  observes?: 'retries' | 'a day';
  judge: Judge;
}

export type { Judgement };

/** How the facts of a run are judged: a judgement for each thing that there is. */
export type Judge = (facts: Facts) => Judgement[];

/** What a judgement may show: requests, deliveries, and the order whose timeline explains it. */
type Thing = Call | Delivery | PlacedOrder | undefined;

const give =
  (verdict: Judgement['verdict']) =>
  (reason: string, ...things: readonly Thing[]): Judgement => {
    const calls = things.filter((thing) => thing !== undefined && 'operation' in thing);
    const deliveries = things.filter((thing) => thing !== undefined && 'hook' in thing);
    const orderId = things.find((thing) => thing !== undefined && 'created' in thing)?.id;
    return { verdict, reason, shown: { calls, deliveries, orderId } };
  };

export const pass = give('pass')('');
/** Fails; inconclusive if a request that shows it exceeded a limit. */
export const fail = (reason: string, ...things: readonly Thing[]): Judgement => {
  const isUnknown = things.some((thing) => thing && 'operation' in thing && isLimited(thing));
  return give(isUnknown ? 'inconclusive' : 'fail')(reason, ...things);
};
export const inconclusive = give('inconclusive');
export const notApplicable = give('n/a');
export const advice = give('advice');

/** Why changes are not counted. */
export const movedItself = inconclusive('The service changes orders itself.');

/** Passes if a condition holds. */
export const expect = (holds: boolean, reason: string, ...things: readonly Thing[]): Judgement =>
  holds ? pass : fail(reason, ...things);

/** A value as JSON, cut after 80 characters. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/**
 * Judges requests that a right service rejects.
 *
 * @param acceptance What a 2xx without an effect is. `fail`: the request must be rejected. `advice`: the sender cannot tell that nothing
 * happened. `pass`: ignoring a part of it is right too.
 */
export const judgeProbes =
  (check: string, acceptance: 'fail' | 'advice' | 'pass', isEffect = (_: Probe) => true): Judge =>
  ({ probes }) =>
    probes.flatMap((probe) => {
      const { label, call, effect } = probe;
      if (probe.check !== check) return [];
      const got = `${label}: ${outcome(call)}`;
      if (effect !== null && isEffect(probe)) return give('fail')(`${got}, and ${effect}.`, call);
      if (effect === null && isUnclear(call)) {
        return inconclusive(`${got}, twice: it may have been rejected. It changed nothing.`, call);
      }
      if (!isAccepted(call) || acceptance === 'pass' || effect !== null) return pass;
      return acceptance === 'fail'
        ? fail(`${got}. The request has to be rejected.`, call)
        : advice(`${got}, and nothing happened. A rejection would tell the sender.`, call);
    });
