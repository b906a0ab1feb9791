import { waitSeconds } from './call';
import type { Planned } from './choices';
import { Bindings } from './match';
import { type Observation, observationDifference } from './observe';
import { applyOperation } from './operator-model';
import { applyCall } from './service-model';
import type { ModelState, Reply } from './state';
import type { ActualReply } from './system';

/** What the model knows: the state, and the values of its placeholders. */
export interface Known {
  state: ModelState;
  bindings: Bindings;
}

/** An action that was performed, and its result. */
export interface Performed {
  planned: Planned;
  result: unknown;
}

/** Returns whether an action waits for an event. */
export function isLongPoll(planned: Planned): boolean {
  return 'call' in planned && planned.call.query?.waitSeconds !== undefined;
}

function isEmptyPage({ body }: Reply): boolean {
  const { data } = (body ?? {}) as { data?: unknown };
  return Array.isArray(data) && data.length === 0;
}

/** Compares a response with the expected one, and binds placeholders. */
export function replyDifference(
  bindings: Bindings,
  { problem, body, status, ...headers }: Reply,
  actual: ActualReply,
): string | null {
  if (problem !== undefined) {
    const got = `${actual.status} ${(actual.body as { code?: string } | undefined)?.code}`;
    return got === `${status} ${problem}`
      ? null
      : `${describeReply(actual)} instead of ${status} ${problem}`;
  }
  if (status !== actual.status) return `${describeReply(actual)} instead of ${status}`;
  return bindings.match({ headers, body }, { headers: actual.headers, body: actual.body });
}

/** Describes a response in a few words. */
export function describeReply({ status, body }: ActualReply): string {
  const { code } = (body ?? {}) as { code?: string };
  return code === undefined ? `${status}` : `${status} ${code}`;
}

/**
 * Searches for an order of actions that ran at the same time, in which the model has the same results and the same state
 * afterwards. It tries all of them.
 *
 * @returns What is known afterwards, or how the order that explains most differs.
 */
export function linearize(
  known: Known,
  actions: readonly Performed[],
  observation: Observation,
): Known | { difference: string } {
  let [deepest, difference] = [-1, ''];
  const waits = actions.some(({ planned }) => isLongPoll(planned));

  function report(depth: number, found: string): null {
    if (depth > deepest) [deepest, difference] = [depth, found];
    return null;
  }

  function search({ state, bindings }: Known, left: readonly Performed[]): Known | null {
    const depth = actions.length - left.length;
    if (left.length === 0) {
      if (waits) state.now += waitSeconds * 1_000;
      const found = observationDifference(state, bindings, observation);
      return found === null ? { state, bindings } : report(depth, found);
    }
    for (const next of left) {
      const after: Known = { state: structuredClone(state), bindings: new Bindings(bindings) };
      const rest = left.filter((other) => other !== next);
      const found = tryNext(after, next, rest);
      if (found !== null) report(depth, found);
      else {
        const result = search(after, rest);
        if (result !== null) return result;
      }
    }
    return null;
  }

  return search(known, actions) ?? { difference };
}

/** Applies an action that comes next. Returns how its result differs. */
function tryNext(
  { state, bindings }: Known,
  { planned, result }: Performed,
  rest: readonly Performed[],
): string | null {
  if ('operation' in planned) {
    return bindings.match(applyOperation(state, planned.operation), result, planned.operation.kind);
  }
  const reply = applyCall(state, planned.call);
  // A long poll without events ends only when nothing else happens.
  const isOver = rest.every((other) => isLongPoll(other.planned));
  if (isLongPoll(planned) && isEmptyPage(reply) && !isOver) return 'a long poll still waits';
  const difference = replyDifference(bindings, reply, result as ActualReply);
  return difference === null ? null : `${planned.call.route}: ${difference}`;
}
