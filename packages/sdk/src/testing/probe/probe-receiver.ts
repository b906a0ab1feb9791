import { temporaryStatuses } from '../temporary-statuses';
import { type CaseName, type Expectation, listedCases, type Need, type ProbeCase } from './cases';
import {
  alwaysFails,
  findAcceptedType,
  findCauses,
  isAccepted,
  isHanging,
  isLimited,
  isWrong,
  type Outcome,
  type ProbeCause,
} from './causes';
import { countEffects } from './count-effects';
import { findLeak } from './find-leak';
import { checkOptions, type ProbeDeclaration, type ProbeOptions } from './options';
import type { ProbeRequest } from './requests';
import { type Exchange, isAcknowledged, send } from './send';

export type { ProbeCause, ProbeDeclaration, ProbeOptions };

/** The result of a case. `note`: unusual, but no mistake; or it proves nothing because no genuine delivery was accepted. */
export interface ProbeCaseResult {
  name: string;
  /** What a right receiver does. `either`: it only tells causes apart, or depends on what was not declared. */
  expectation: Expectation;
  verdict: 'pass' | 'fail' | 'note' | 'not run';
  /** The HTTP status. Null without a response. */
  status: number | null;
  /** Why there was no response: a code such as `ECONNREFUSED`, or `timeout`. Null with one. */
  error: string | null;
  /** The name of the first cause that explains it. Null if there is nothing to explain. */
  cause: string | null;
  durationMs: number | null;
}

/** What a probe found. */
export interface ProbeReport {
  /** `fail` if any case failed; `inconclusive` if none did, but a limit of requests ended the probe. */
  verdict: 'pass' | 'fail' | 'inconclusive';
  /** How many cases have each verdict. */
  counts: { pass: number; fail: number; note: number; notRun: number };
  /** The cases, in the order in which they are sent. */
  cases: ProbeCaseResult[];
  /** What explains the failures and the notes, the most telling first. */
  causes: ProbeCause[];
}

/** Before it, a probe waits for late effects: those of forged deliveries are mistakes. */
const firstForged = listedCases.find(([, { expectation }]) => expectation === 'refuse')?.[0];

/** After so many milliseconds, or when a case has hung, the probe waits for no response before it sends the next request. */
const patienceMs = 300_000;

/**
 * Sends about 60 requests to a receiver, one after the other: genuine deliveries in every form that the service may send, and forged
 * ones. It finds out which common mistakes the receiver makes. All data is marked as that of test events. Needs Node. It takes
 * seconds; after a case that hangs, it waits for others at most a fifteenth of `timeoutMs` before it sends the next one.
 *
 * @throws {TypeError} for an option that is missing, unknown or wrong, a declaration that contradicts itself, `handled` that returns no
 * number, or a runtime other than Node.
 * @example
 * const { verdict, causes } = await probeReceiver({ url: 'http://127.0.0.1:3000/webhooks', secret });
 * assert.equal(verdict, 'pass', causes.map(({ text }) => text).join('\n'));
 */
export async function probeReceiver(options: ProbeOptions): Promise<ProbeReport> {
  checkOptions(options ?? {});
  const { declare, nextSecret, timeoutMs = 15_000, signal, onCase } = options;
  const needs = { ...declare, rotation: nextSecret };
  const has = (need: Need) => Boolean(needs[need]);
  const effectCounter = await countEffects(options.handled, signal);
  const run: Run = { options, timeoutMs, effectCounter, outcomes: [] };
  const { outcomes } = run;
  const open = new Map<CaseName, Promise<unknown>>();
  const startedAt = performance.now();
  for (const [name, one] of listedCases) {
    const expectation = expectationOf(one, has);
    if (expectation === null) continue;
    if (name === firstForged) await effectCounter.settle();
    onCase?.(name);
    const running = runCase(name, one, expectation, run).then(() => open.delete(name));
    open.set(name, running);
    // Its rejection is seen below.
    running.catch(() => undefined);
    const isLate = outcomes.some(isHanging) || performance.now() - startedAt > patienceMs;
    await (isLate ? Promise.race([running, pause(timeoutMs / 15)]) : running);
    signal?.throwIfAborted();
    if (open.size > 0) effectCounter.stop();
    if (mustStop(outcomes, open.size)) break;
  }
  for (const [name, running] of open) {
    onCase?.(name);
    await running;
  }
  signal?.throwIfAborted();
  // Cases that hang end late.
  const inOrder = listedCases.flatMap(([name]) => outcomes.filter((one) => one.name === name));
  return report(inOrder, has);
}

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** What all cases of a run share. */
interface Run {
  options: ProbeOptions;
  timeoutMs: number;
  effectCounter: Awaited<ReturnType<typeof countEffects>>;
  outcomes: Outcome[];
}

/** Sends the requests of a case, and adds its outcome. */
async function runCase(name: CaseName, one: ProbeCase, expectation: Expectation, run: Run) {
  const { options, timeoutMs, effectCounter, outcomes } = run;
  const { secret, nextSecret, declare, signal } = options;
  // Of a type that has an effect, or else of one that is accepted.
  const type = effectCounter.type ?? findAcceptedType(outcomes);
  const made = await one.make({ type, secret, nextSecret, webhookId: declare?.webhookId });
  const requests = Array.isArray(made) ? made : [made];
  const exchanges = await sendAll(new URL(options.url), requests, one, { timeoutMs, signal });
  const expected = exchanges.some(isAcknowledged) ? requests.length : 0;
  const effects = await effectCounter.count(name, expectation, expected);
  const leak = await findLeak(requests, exchanges, nextSecret ? [secret, nextSecret] : [secret]);
  outcomes.push({ name, expectation, ...chooseJudged(exchanges, one), effects, leak });
}

/** Returns the right outcome of a case; null if it cannot be sent. */
function expectationOf({ expectation, needs }: ProbeCase, has: (need: Need) => boolean) {
  if (needs === undefined || has(needs)) return expectation;
  return needs === 'rotation' || needs === 'webhookId' ? null : 'either';
}

async function sendAll(
  url: URL,
  requests: readonly ProbeRequest[],
  { together }: ProbeCase,
  options: Parameters<typeof send>[2],
): Promise<Exchange[]> {
  if (together) return Promise.all(requests.map((request) => send(url, request, options)));
  const exchanges: Exchange[] = [];
  for (const request of requests) exchanges.push(await send(url, request, options));
  return exchanges;
}

/** Chooses what a case is judged by: the last response; of two at the same time, one that was refused for good, else one that was accepted. */
function chooseJudged(exchanges: readonly Exchange[], { together }: ProbeCase) {
  const rank = (one: Exchange) =>
    isAcknowledged(one) ? 1 : temporaryStatuses.includes(one.status) ? 2 : 0;
  const sorted = together
    ? exchanges.toSorted((a, b) => rank(a) - rank(b))
    : exchanges.toReversed();
  const [exchange, other = null] = sorted as [Exchange, Exchange?];
  return { exchange, other };
}

/** Whether the other cases would prove nothing, or would wait in vain. */
function mustStop(outcomes: readonly Outcome[], open: number): boolean {
  const [first] = outcomes;
  if (!first) return false;
  const { status, error } = first.exchange;
  const isElsewhere = error !== null && !isHanging(first);
  // One of each type of event.
  const isSilent = outcomes.length + open >= 5 && outcomes.every(isHanging);
  const isGone = outcomes.some((one) => isLimited(one) || !one.exchange.isConnected);
  return isElsewhere || /^(3\d\d|404|405)$/.test(String(status)) || isSilent || isGone;
}

function report(outcomes: readonly Outcome[], has: (need: Need) => boolean): ProbeReport {
  const causes = findCauses(outcomes);
  const provesNothing = !outcomes.some((one) => one.expectation === 'accept' && isAccepted(one));
  const cases = listedCases.map(([name, listed]): ProbeCaseResult => {
    const one = outcomes.find((outcome) => outcome.name === name);
    const cause = causes.find((it) => it.cases.includes(name))?.name ?? null;
    if (!one) {
      const none = { status: null, error: null, durationMs: null, cause };
      const expectation = expectationOf(listed, has) ?? listed.expectation;
      return { name, expectation, verdict: 'not run', ...none };
    }
    const { status, error, durationMs } = one.exchange;
    const isFail =
      isWrong(one) || causes.some((it) => alwaysFails.includes(it.name) && it.cases.includes(name));
    const isNote = cause !== null || (provesNothing && one.expectation !== 'accept');
    const verdict = isFail ? 'fail' : isNote ? 'note' : 'pass';
    return { name, expectation: one.expectation, verdict, status, error, cause, durationMs };
  });
  const count = (verdict: string) => cases.filter((one) => one.verdict === verdict).length;
  const counts = {
    ...{ pass: count('pass'), fail: count('fail') },
    ...{ note: count('note'), notRun: count('not run') },
  };
  const sendable = listedCases.filter(([, one]) => expectationOf(one, has) !== null);
  const isComplete = outcomes.length === sendable.length && !outcomes.some(isLimited);
  const verdict = counts.fail > 0 ? 'fail' : isComplete ? 'pass' : 'inconclusive';
  return { verdict, counts, cases, causes };
}
