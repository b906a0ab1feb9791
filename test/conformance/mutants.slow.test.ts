import { afterAll, describe, expect, test } from 'vitest';
import { type FaultName, faults } from './minimal-service/faults';
import type { MinimalServiceOptions } from './minimal-service/start';
import { type VariantName, variants } from './minimal-service/variants';
import { checkMinimalService, findings, untilMeasured } from './run-kit';

const counts = { faults: 0, named: 0, failures: 0, listed: 0, variants: 0 };

afterAll(() => {
  const { faults: total, named, failures, listed, variants: legal } = counts;
  console.log(
    `recall ${named}/${total} faults, precision ${listed}/${failures} failures, ${legal} legal variants without a failure`,
  );
});

const check = (options: MinimalServiceOptions) =>
  untilMeasured(() => checkMinimalService(options, { level: 'core' }));

describe.concurrent('the kit', () => {
  // The variants come first, because one of them takes the longest: `slowWebhooks` makes the kit wait for half a minute.
  test.each(Object.keys(variants) as VariantName[])('passes the variant %s', async (variant) => {
    const report = await check({ variant });
    expect(
      report.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id),
      findings(report).join('\n'),
    ).toEqual([]);
    // What only a pending order shows is inconclusive without one.
    const exitCode = variant === 'confirmsItself' ? 2 : 0;
    expect(report.exitCode, findings(report).join('\n')).toBe(exitCode);
    counts.variants += 1;
  });

  test.each(Object.keys(faults) as FaultName[])('finds the fault %s', async (fault) => {
    const { check: named, also } = faults[fault];
    // Equal waits can be measured only if they are long beside the turns of a busy event loop.
    const baseDelayMs = fault === 'constantInterval' ? { baseDelayMs: 400 } : {};
    const report = await check({ fault, ...baseDelayMs });
    const failed = report.checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
    const listed = [named, ...also];
    counts.faults += 1;
    counts.named += failed.includes(named) ? 1 : 0;
    counts.failures += failed.length;
    counts.listed += failed.filter((id) => listed.includes(id)).length;
    expect(failed, findings(report).join('\n')).toContain(named);
    expect(
      failed.filter((id) => !listed.includes(id)),
      findings(report).join('\n'),
    ).toEqual([]);
    expect(report.exitCode).toBe(1);
  });

  test('passes the service without a fault', async () => {
    const report = await check({});
    expect(report, findings(report).join('\n')).toMatchObject({ exitCode: 0, interrupted: null });
  });
});
