import { type Judgement, listExtensions } from '../../run/facts';
import type { Run } from '../../run/run';
import { type Check, notApplicable, pass } from '../check';
import { account } from './account';
import { deliveries } from './deliveries';
import { eventLog } from './event-log';
import type { ExtensionCheck, Family } from './family';
import { idempotency } from './idempotency';
import { ifMatch } from './if-match';
import { paging } from './paging';
import { problems } from './problems';
import { rateLimit } from './rate-limit';
import { standardWebhooks } from './standard-webhooks';
import { Broken, headerIn, NotOffered, type Offer, Trial, Unclear } from './trial';
import { webhooks } from './webhooks';

const families = [
  ...[idempotency, ifMatch, paging, problems, rateLimit],
  ...[webhooks, deliveries, eventLog, standardWebhooks, account],
];

/** All checks of the level `extensions`, in the order of reports. */
export const extensionChecks: readonly Check[] = families
  .flatMap(({ checks }) => checks)
  .map(({ id, title, method, class: kind = 'derived', sign }) => ({
    ...{ id, level: 'extensions', class: kind, title, source: null, phase: 'extensions' },
    method: `${method} Not judged without ${sign.text}.`,
    judge: ({ extensions }) => extensions.get(id) ?? [],
  }));

/** Reads what the service offers: the names in `Tradepost-Extensions` and in the profile, and the headers of the first response. */
export function readOffer({ profile, facts }: Run): Offer {
  const [call] = facts.calls;
  return {
    names: new Set([...(listExtensions(facts) ?? []), ...profile.extensions]),
    hasHeader: (name) => call !== undefined && headerIn(call, name) !== null,
  };
}

/**
 * Runs the checks of every extension that the service offers. What they find is in the facts, by the ID of the check, also if the run is
 * interrupted. What is not offered is `n/a`.
 *
 * @param isSelected Whether to run a check, by its ID.
 */
export async function runExtensions(
  run: Run,
  offer: Offer,
  isSelected: (id: string) => boolean,
): Promise<void> {
  const runCheck = async (check: ExtensionCheck, prepared: Judgement, state: unknown) => {
    const { sign, hides } = check;
    if (!sign.isIn(offer)) {
      return notApplicable(`Not offered: the service does not show ${sign.text}.`);
    }
    if (prepared.verdict !== 'pass') return prepared;
    if (hides && run.profile.stranger === 'operator') {
      return notApplicable('The stranger of the profile may see everything.');
    }
    const trial = new Trial(run, offer);
    const found = await conclude(trial, () => check.judge(trial, state));
    await trial.end();
    const isAdvice = found.verdict === 'fail' && check.class === 'advice';
    return isAdvice ? { ...found, verdict: 'advice' as const } : found;
  };
  const runFamily = async ({ prepare, checks }: Family) => {
    const selected = checks.filter(({ id }) => isSelected(id));
    const trial = new Trial(run, offer);
    let state: unknown;
    const prepared = await conclude(trial, async () => {
      if (selected.some(({ sign }) => sign.isIn(offer))) state = await prepare?.(trial);
    });
    for (const check of selected) {
      run.signal.throwIfAborted();
      run.facts.extensions.set(check.id, [await runCheck(check, prepared, state)]);
    }
    await trial.end();
  };
  run.log('Checking extensions');
  const others = families.filter((one) => one !== rateLimit);
  for (const ended of await Promise.allSettled(others.map(runFamily))) {
    if (ended.status === 'rejected') throw ended.reason;
  }
  // It may exceed the limit on purpose.
  await runFamily(rateLimit);
}

/** Does some work of a trial. Returns what it has found. */
async function conclude(trial: Trial, work: () => Promise<void>): Promise<Judgement> {
  try {
    await work();
    return pass;
  } catch (error) {
    if (error instanceof NotOffered) return notApplicable(error.message);
    if (!(error instanceof Broken || error instanceof Unclear)) throw error;
    const verdict = error instanceof Broken ? 'fail' : 'inconclusive';
    const shown = { calls: trial.calls.slice(-6), deliveries: trial.deliveries.slice(-2) };
    return { verdict, reason: error.message, shown };
  }
}
