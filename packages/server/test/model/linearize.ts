import { waitSeconds } from './call';
import type { Planned } from './choices';
import { Bindings } from './match';
import {
  type Known,
  type Observation,
  type ObservedList,
  observationDifference,
  observedLists,
} from './observe';
import { applyOperation } from './operator-model';
import {
  addAction,
  addSerialAction,
  findableStates,
  noOverlap,
  type Overlap,
  orderings,
} from './overlap';
import { applyCall } from './service-model';
import type { ModelState, Reply } from './state';
import type { ActualReply } from './system';

/**
 * Forgets the cursors of which their pages do not tell whether a change at the same time came before them: the model may have
 * chosen another order of the two than the service, and a later page would differ.
 */
function forgetUnsureCursors(state: ModelState): void {
  state.cursors = state.cursors.filter(({ passedOthers }) => passedOthers !== true);
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

/** What a search starts from. */
export interface Evidence {
  /** What every account sees afterwards. */
  observation: Observation;
  /** Whether changes run one after another. Otherwise they may overlap: see `Overlap`. */
  isSerial: boolean;
}

/**
 * Searches for an order of actions that ran at the same time, in which the model has the same results and the same state
 * afterwards. It tries all of them, and all orders in which what they create may be listed.
 *
 * @returns What is known afterwards, or how the order that explains most differs.
 */
export function linearize(
  known: Known,
  actions: readonly Performed[],
  { observation, isSerial }: Evidence,
): Known | { difference: string } {
  let [deepest, difference] = [-1, ''];
  const waits = actions.some(({ planned }) => isLongPoll(planned));
  // Another process than the server's creates what operators do, with IDs of its own.
  const overlaps = !isSerial || actions.some(({ planned }) => 'operation' in planned);

  function report(depth: number, found: string): null {
    if (depth > deepest) [deepest, difference] = [depth, found];
    return null;
  }

  /** Compares the lists, one after another: each has the first order that explains what accounts see. */
  function settle(known: Known, overlap: Overlap): Known | null {
    const all = known.state.accounts.map(({ id }) => id);
    let settled = known;
    for (const list of observedLists) {
      // Each account has an event log of its own.
      for (const accountIds of list === 'events' ? all.map((id) => [id]) : [all]) {
        const next = settleList(settled, list, accountIds, overlap);
        if (next === null) return null;
        settled = next;
      }
    }
    return settled;
  }

  function settleList(
    known: Known,
    list: ObservedList,
    accountIds: string[],
    overlap: Overlap,
  ): Known | null {
    const listed = { list, accountId: accountIds[0] ?? null };
    for (const state of orderings(known.state, listed, overlap)) {
      const bindings = new Bindings(known.bindings);
      const found = observationDifference({ state, bindings }, observation, list, accountIds);
      if (found === null) return { state, bindings };
      report(actions.length, found);
    }
    return null;
  }

  function search(before: Known, left: readonly Performed[], overlap: Overlap): Known | null {
    const depth = actions.length - left.length;
    if (left.length === 0) {
      if (waits) before.state.now += waitSeconds * 1_000;
      if (actions.length > 1) forgetUnsureCursors(before.state);
      return settle(before, overlap);
    }
    for (const next of left) {
      const rest = left.filter((other) => other !== next);
      for (const found of findableStates(before.state, next.planned, overlap)) {
        const state = structuredClone(found);
        const after: Known = { state, bindings: new Bindings(before.bindings) };
        const different = tryNext(after, next, rest);
        if (different !== null) {
          report(depth, different);
          continue;
        }
        state.subscribers = null;
        state.usedCount = null;
        const add = overlaps ? addAction : addSerialAction;
        const result = search(after, rest, add(overlap, found, state));
        if (result !== null) return result;
      }
    }
    return null;
  }

  return search(known, actions, noOverlap) ?? { difference };
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
