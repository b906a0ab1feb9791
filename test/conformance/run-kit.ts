import { createProfile, type ProfileInput } from '../../packages/conformance/src/profile/profile';
import type { CheckResult, Report } from '../../packages/conformance/src/report/report';
import { formatText } from '../../packages/conformance/src/report/text';
import { type CheckOptions, checkService } from '../../packages/conformance/src/run/check-service';
import { type MinimalServiceOptions, startMinimalService } from './minimal-service/start';

/** The minimal service delivers over HTTP in these tests, and retries within half a second. */
const quickService = {
  receiver: { http: {} },
  events: { withinSeconds: 5, quietSeconds: 0.3 },
  retries: { firstWithinSeconds: 0.5, factor: 2, timeoutSeconds: 1 },
  waivers: [{ check: 'EVT-3', reason: 'the receiver of this test has no certificate' }],
} satisfies Partial<ProfileInput>;

/** Long enough for a busy machine to tell apart, short enough for a run of two seconds. In milliseconds. */
const timing = { baseDelayMs: 100, attemptTimeoutMs: 800 };

/** Runs the kit against a minimal service, in this process. */
export async function checkMinimalService(
  serviceOptions: MinimalServiceOptions = {},
  options: CheckOptions = {},
  profile: Partial<ProfileInput> = {},
): Promise<Report> {
  const service = await startMinimalService({ ...timing, ...serviceOptions });
  try {
    const { buyer, seller, agent, stranger } = service.accounts;
    return await checkService(
      createProfile({
        baseUrl: service.baseUrl,
        keys: { buyer: buyer.key, seller: seller.key, agent: agent.key, stranger: stranger.key },
        accounts: { buyer: buyer.id, seller: seller.id, agent: agent.id },
        listing: service.listings.plain,
        listingWithAgent: service.listings.withAgent,
        ...quickService,
        ...profile,
      }),
      options,
    );
  } finally {
    await service.stop();
  }
}

/** Runs the kit again, up to ten times, if the machine was too busy to measure times, which the kit says of a check. */
export async function untilMeasured(run: () => Promise<Report>, tries = 10): Promise<Report> {
  const report = await run();
  const isDisturbed = report.checks.some(({ reason }) =>
    reason?.startsWith('This machine was too busy'),
  );
  return isDisturbed && tries > 1 ? untilMeasured(run, tries - 1) : report;
}

/** What a person needs to know about the checks of a report that did not pass, a line each. */
export const findings = ({ checks }: Report): string[] =>
  checks
    .filter(({ verdict }) => !['pass', 'n/a', 'waived'].includes(verdict))
    .map(
      ({ id, verdict, blockedBy, reason }: CheckResult) =>
        `${id} ${verdict} ${blockedBy ?? ''} ${reason}`,
    );

/** A report as a file has it. */
export const asText = (report: Report): string =>
  formatText(report, { width: 100, style: (_, text) => text });
