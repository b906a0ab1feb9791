import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { version } from '../../package.json';
import { coreChecks } from '../checks/all-checks';
import type { Check } from '../checks/check';
import { extensionChecks, readOffer, runExtensions } from '../checks/extensions/run-extensions';
import type { Profile } from '../profile/profile';
import { type Delivery, startReceiver } from '../receiver/receiver';
import { watchStalls } from '../receiver/stalls';
import type { CheckResult, Level, Mode, Report } from '../report/report';
import { createService } from '../service/service';
import { createExplain, createRedactorFor } from './evidence';
import { createFacts, type Facts, listExtensions, type PhaseName } from './facts';
import { conclude, isSelected, judge, type Selection } from './judge';
import { awaitSilence, observeDay, tearDown } from './phases/end';
import { checkEvents } from './phases/events';
import { checkNotifications } from './phases/notifications';
import { checkOrders } from './phases/orders';
import { start } from './phases/start';
import { isForFailingHook } from './retries';
import type { Run } from './run';

export interface CheckOptions extends Selection {
  /** Defaults to `default`. */
  mode?: Mode;
  /** Defaults to `all`. */
  level?: Level | 'all';
  /** Ends the run early: it cleans up and reports what it has judged. */
  signal?: AbortSignal;
  /** Gets a line for each thing that the run begins, such as "Observing retries". */
  onPhase?: (text: string) => void;
}

/**
 * Runs all checks against the service of a profile.
 *
 * @throws {CannotRun} the service cannot be reached, or refuses a key
 * @throws {CommandError} a command of the profile failed
 */
export async function checkService(profile: Profile, options: CheckOptions = {}): Promise<Report> {
  const { mode = 'default', level = 'all' } = options;
  const signal = options.signal ?? new AbortController().signal;
  // Every wait of the run listens to it.
  setMaxListeners(0, signal);
  const startedAt = new Date().toISOString();
  const isWanted = ({ id, level: of = 'core' }: Check) =>
    (level === 'all' || level === of) && isSelected(id, options);
  const runId = `run-${randomBytes(6).toString('hex')}`;
  const receiver = await startReceiver(profile.receiver, runId);
  const watch = watchStalls();
  const facts = createFacts(profile, mode, receiver, watch.stalls);
  let isRecording = true;
  const service = createService(profile, signal, (call) => isRecording && facts.calls.push(call));
  const log = options.onPhase ?? (() => undefined);
  const run: Run = {
    profile,
    facts,
    service,
    receiver,
    signal,
    mode,
    log,
    listings: new Map(),
    isTardy: false,
  };
  const withRetries =
    mode !== 'quick' && coreChecks.some((check) => check.observes && isWanted(check));
  let interrupted: string | null = null;
  let failure: unknown;
  const results: CheckResult[] = [];
  let redactor = createRedactorFor(facts);
  try {
    const phases: [PhaseName, () => Promise<void>][] = [
      ['orders', () => checkOrders(run)],
      ['events', () => checkEvents(run, withRetries)],
      ['notifications', () => checkNotifications(run)],
      ['end', () => awaitSilence(run, withRetries)],
    ];
    const finish = async (name: PhaseName, work: () => Promise<void>) => {
      if (interrupted !== null) return;
      try {
        await work();
        facts.finished.add(name);
      } catch (error) {
        if (!signal.aborted) throw error;
        interrupted = String(signal.reason);
      }
    };
    const judgeAll = (checks: readonly Check[], seen: Facts) => {
      redactor = createRedactorFor(facts);
      const explain = createExplain(seen, redactor);
      results.push(...judge(checks, seen, options, explain, redactor));
    };
    await finish('start', () => start(run));
    if (coreChecks.some(isWanted)) for (const phase of phases) await finish(...phase);
    // What extensions cause is not judged as core.
    isRecording = false;
    const core = copyFacts(facts);
    if (extensionChecks.some(isWanted)) {
      await finish('extensions', async () => {
        await runExtensions(run, readOffer(run), (id) => isSelected(id, options));
      });
    }
    // No times are measured from here on.
    watch.stop();
    if (mode === 'long' && withRetries) {
      await finish('day', () => observeDay(run));
      const later = facts.deliveries.slice(core.deliveries.length);
      const isCopy = (one: Delivery) =>
        core.deliveries.some(({ hook, body }) => hook === one.hook && body.equals(one.body));
      const ofCore = later.filter((one) => isForFailingHook(one) || isCopy(one));
      core.deliveries = [...core.deliveries, ...ofCore];
    }
    if (level !== 'extensions') judgeAll(coreChecks, core);
    if (level !== 'core') judgeAll(extensionChecks, facts);
  } catch (error) {
    failure = error;
  }
  watch.stop();
  log('Cleaning up');
  const left = await tearDown(run);
  service.close();
  await receiver.close();
  if (failure !== undefined) {
    if (failure instanceof Error && left.length > 0)
      failure.message += `\nLeft at the service: ${left.join(', ')}.`;
    throw failure;
  }
  return {
    version: 1,
    kit: { name: '@tradepost/conformance', version },
    api: 'v1',
    startedAt,
    finishedAt: new Date().toISOString(),
    mode,
    target: { baseUrl: profile.baseUrl, receiver: receiver.baseUrl },
    profile: JSON.parse(
      JSON.stringify(profile, (_, value) =>
        typeof value === 'string' ? redactor.text(value) : value,
      ),
    ),
    extensions: [...new Set([...(listExtensions(facts) ?? []), ...profile.extensions])],
    checks: results,
    interrupted,
    left,
    ...conclude(results, options, interrupted),
  };
}

/** The facts as they are now: later ones do not change them. Those of retries and of finished phases do. */
function copyFacts(facts: Facts): Facts {
  const { calls, deliveries, webhooks, orders, changes } = facts;
  return {
    ...facts,
    calls: [...calls],
    deliveries: [...deliveries],
    webhooks: [...webhooks],
    orders: [...orders],
    changes: [...changes],
  };
}
