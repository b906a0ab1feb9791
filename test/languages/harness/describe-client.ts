import { beforeAll, describe, expect, it } from 'vitest';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { type CheckResult, type Program, runChecks } from './run-program';
import { startNewerService } from './start-newer-service';

/** What a generated client must do on the real server. Every program reports each of them. */
const mainJob = [
  'lists orders by status and follows the cursor',
  'creates one order for two requests with one idempotency key',
  'updates an order with If-Match',
  'gets a typed 412 for a stale ETag',
  'verifies a delivery to a webhook that it registered',
  'lists notifications and marks one as read',
  'lists events with typed data',
  'stages and promotes a secret',
  'sends a test event, and lists, gets and replays its delivery',
  'gets a typed 404',
  'gets a typed 422 with the invalid fields',
] as const;

/** What a later version of the service may respond. */
const newerChecks = {
  field: 'reads an order with a new field',
  status: 'lists orders of which one has an unknown status',
  type: 'lists events of which one has an unknown type',
} as const;

/** What a client makes of a value that its document does not list: what the program prints, or the error. */
type Outcome = { reads: string | RegExp } | { rejects: RegExp };

/** A client that a generator wrote with certain options, and the programs that use it. */
export interface GeneratedClient {
  /** Generator and version, and the options that matter. */
  title: string;
  /** The main job, unless another client of the generator does it. */
  job?: Program;
  /** Reads what a newer service responds. */
  newer: Program;
  /** What it makes of that. The README lists the same. */
  outcomes: Record<keyof typeof newerChecks, Outcome>;
}

function describeEnvironment({ server, buyer, seller, seed }: SeededServer) {
  return {
    TRADEPOST_BASE_URL: server.url,
    TRADEPOST_BUYER_KEY: buyer.apiKey,
    TRADEPOST_SELLER_KEY: seller.apiKey,
    TRADEPOST_LISTING_ID: seed.listings[0]?.id ?? '',
    TRADEPOST_ORDER_ID: seed.orders[0]?.id ?? '',
  };
}

function toMap(results: readonly CheckResult[]): Map<string, CheckResult> {
  return new Map(results.map((result) => [result.check, result]));
}

/** Tests a generated client on the real server, and on a newer one. */
export function describeClient({ title, job, newer, outcomes }: GeneratedClient): void {
  describe(`client: ${title}`, () => {
    let service: SeededServer;
    const jobResults = new Map<string, CheckResult>();
    const newerResults = new Map<string, CheckResult>();

    function collect(into: Map<string, CheckResult>, results: readonly CheckResult[]): void {
      for (const [check, result] of toMap(results)) into.set(check, result);
    }

    beforeAll(async () => {
      service = await startSeededServer();
      return () => service.close();
    });

    if (job !== undefined) {
      describe('on the server', () => {
        beforeAll(async () => {
          const env = { ...job.env, ...describeEnvironment(service) };
          collect(jobResults, await runChecks({ ...job, env }));
          expect([...jobResults.keys()]).toEqual([...mainJob]);
        });

        it.each(mainJob)('%s', (check) => {
          expect(jobResults.get(check)).toEqual({ check, ok: true, detail: expect.any(String) });
        });
      });
    }

    describe('on a newer server', () => {
      beforeAll(async () => {
        const proxy = await startNewerService(service.server.url);
        try {
          const urls = { TRADEPOST_NEWER_BASE_URL: proxy.url };
          const env = { ...newer.env, ...describeEnvironment(service), ...urls };
          collect(newerResults, await runChecks({ ...newer, env }));
        } finally {
          await proxy.close();
        }
      });

      for (const [name, check] of Object.entries(newerChecks)) {
        const outcome = outcomes[name as keyof typeof newerChecks];
        it('reads' in outcome ? check : `does not yet: ${check}`, () => {
          const detail = expect.stringMatching(
            'reads' in outcome ? outcome.reads : outcome.rejects,
          );
          expect(newerResults.get(check)).toEqual({ check, ok: 'reads' in outcome, detail });
        });
      }
    });
  });
}
