import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { captureDeliveries } from './capture-deliveries';
import { fixedClock } from './fixed-clock';
import { vectorFiles } from './folders';
import { type CheckResult, type Program, runChecks } from './run-program';

const headers = ['Service-Signature', 'webhook-signature'] as const;

function countVectors(file: string): number {
  return (JSON.parse(readFileSync(file, 'utf8')) as { vectors: unknown[] }).vectors.length;
}

/** Expects that a program reported a check of both signatures for every vector of a file, and that none failed. */
function expectAgreement(results: readonly CheckResult[], file: string): void {
  expect(results.filter(({ ok }) => !ok)).toEqual([]);
  expect(new Set(results.map(({ check }) => check)).size).toBe(countVectors(file) * headers.length);
}

/**
 * Tests that a program verifies deliveries, with a Standard Webhooks library and by hand.
 *
 * @param library Its name and version.
 * @param createProgram Returns the program that verifies the vectors of a file.
 */
export function describeVerification(
  library: string,
  createProgram: (file: string) => Program,
): void {
  describe(`verification: ${library}, and Service-Signature by hand`, () => {
    it.each(vectorFiles.map((file) => [basename(file), file]))(
      'agrees with every vector of %s',
      async (_, file) => {
        const program = createProgram(file);
        const env = { ...program.env, ...(await fixedClock(file)) };
        expectAgreement(await runChecks({ ...program, env }), file);
      },
    );

    describe('deliveries of the server', () => {
      let results: CheckResult[];
      let file: string;

      beforeAll(async () => {
        const folder = await temporaryFolder();
        const service = await startSeededServer();
        try {
          file = join(folder.path, 'captured.json');
          await captureDeliveries(service, file);
          results = await runChecks(createProgram(file));
          expectAgreement(results, file);
        } finally {
          await service.close();
          await folder.remove();
        }
      });

      const pick = (pattern: RegExp) =>
        results.filter(({ check, ok }) => pattern.test(check) && ok).length;

      it('accepts order.created and order.status_changed', () => {
        expect(pick(/: order\./)).toBe(2 * headers.length);
      });

      it('accepts a test of every event type', () => {
        expect(pick(/: a test of /)).toBe(5 * headers.length);
      });

      it('accepts either secret while one replaces the other', () => {
        expect(pick(/: a staged secret: /)).toBe(3 * headers.length);
        expect(pick(/: a promoted secret/)).toBe(2 * headers.length);
      });

      it('rejects every forgery', () => {
        expect(pick(/: (one byte|another|no headers|a later|an? (truncated|empty|upper))/)).toBe(
          11 * headers.length,
        );
      });
    });
  });
}
