import { type Judgement, listExtensions } from '../../run/facts';
import type { Run } from '../../run/run';
import { type Check, notApplicable, pass } from '../check';
import { account } from './account';
import { deliveries } from './deliveries';
import { eventLog } from './event-log';
import { idempotency } from './idempotency';
import { ifMatch } from './if-match';
import { paging } from './paging';
import { problems } from './problems';
import { rateLimit } from './rate-limit';
import { standardWebhooks } from './standard-webhooks';
import {
  Broken,
  type ExtensionCheck,
  type Family,
  headerIn,
  NotOffered,
  type Offer,
  Trial,
  Unclear,
} from './trial';
import { secrets, webhooks } from './webhooks';

const families: readonly Family[] = [
  idempotency,
  ifMatch,
  paging,
  problems,
  rateLimit,
  webhooks,
  secrets,
  deliveries,
  eventLog,
  standardWebhooks,
  account,
];

const inHeader = (name: string) => `${name} in Tradepost-Extensions`;

/** All checks of the level `extensions`, in the order of reports. */
export const extensionChecks: readonly Check[] = families
  .flatMap(({ checks, shownBy }) => checks.map((check) => ({ ...check, shownBy })))
  .map(({ id, title, method, class: kind = 'derived', needs, shownBy }) => ({
    id,
    level: 'extensions',
    class: kind,
    title,
    source: null,
    method: `${method} Not judged without ${needs ? inHeader(needs) : shownBy}.`,
    phase: 'extensions',
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
  isSelected: (id: string) => boolean = () => true,
): Promise<void> {
  const findings = run.facts.extensions;
  const runFamily = async (family: Family) => {
    const checks = family.checks.filter(({ id }) => isSelected(id));
    if (checks.length === 0) return;
    const missing = `The service does not offer it: ${family.shownBy} is absent.`;
    const preparing = new Trial(run, offer);
    let state: unknown;
    const prepared = family.isOffered(offer)
      ? await conclude(preparing, async () => {
          state = await family.prepare?.(preparing);
        })
      : [notApplicable(missing)];
    for (const check of checks) {
      run.signal.throwIfAborted();
      const isReady = prepared.every(({ verdict }) => verdict === 'pass');
      findings.set(check.id, isReady ? await runCheck(check, state) : prepared);
    }
    await preparing.end();
  };
  const runCheck = async (check: ExtensionCheck, state: unknown) => {
    if (check.needs !== undefined && !offer.names.has(check.needs))
      return [notApplicable(`The service does not offer it: ${inHeader(check.needs)} is absent.`)];
    if (check.hides && run.profile.stranger === 'operator')
      return [notApplicable('The stranger of the profile may see everything.')];
    const trial = new Trial(run, offer);
    const found = await conclude(trial, () => check.judge(trial, state));
    await trial.end();
    return check.class === 'advice' ? found.map(asAdvice) : found;
  };
  run.log('Checking extensions');
  const ended = await Promise.allSettled(
    families.filter((one) => one !== rateLimit).map(runFamily),
  );
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  // It may exceed the limit on purpose.
  await runFamily(rateLimit);
}

const asAdvice = (found: Judgement): Judgement =>
  found.verdict === 'fail' ? { ...found, verdict: 'advice' } : found;

/** Does some work of a trial. Returns what it has found. */
async function conclude(trial: Trial, work: () => Promise<void>): Promise<Judgement[]> {
  try {
    await work();
    return [pass];
  } catch (error) {
    if (error instanceof NotOffered) return [notApplicable(error.message)];
    if (!(error instanceof Broken || error instanceof Unclear)) throw error;
    const verdict = error instanceof Broken ? 'fail' : 'inconclusive';
    const shown = { calls: trial.calls.slice(-6), deliveries: trial.deliveries.slice(-2) };
    return [{ verdict, reason: error.message, shown }];
  }
}
