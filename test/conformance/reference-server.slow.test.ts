import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProfile } from '../../packages/conformance/src/profile/profile';
import { type CheckOptions, checkService } from '../../packages/conformance/src/run/check-service';
import { forTest } from '../helpers/for-test';
import { createSeededPostgres } from '../helpers/start-postgres';
import {
  createSeededFile,
  type SeededDatabase,
  startSeededServer,
} from '../helpers/start-seeded-server';
import { temporaryFolder } from '../helpers/temporary-folder';
import { findLinesOnlyInReadme } from './readme';
import { asText, findings, untilMeasured } from './run-kit';

/** Runs the kit, with an HTTPS receiver, against the reference server. */
async function checkServer(createDatabase: () => Promise<SeededDatabase>, options: CheckOptions) {
  const folder = await forTest(temporaryFolder());
  const caFile = join(folder.path, 'ca.pem');
  const { server, seed, buyer, seller, agent, stranger } = await forTest(
    startSeededServer(['--rate-limit', '100000'], { createDatabase }),
  );
  const profile = createProfile({
    baseUrl: server.url,
    keys: {
      ...{ buyer: buyer.apiKey, seller: seller.apiKey },
      ...{ agent: agent.apiKey, stranger: stranger.apiKey },
    },
    listing: seed.listings[0]?.id ?? '',
    accounts: { buyer: buyer.id, seller: seller.id, agent: agent.id },
    receiver: { https: { caFile } },
  });
  const report = await untilMeasured(() => checkService(profile, options));
  const open = findings(report).filter((line) => !/^(RTY-\d|EVT-15) not run/.test(line));
  expect(open).toEqual([]);
  expect(report.exitCode).toBe(0);
  return asText(report);
}

test.concurrent('the reference server on SQLite conforms in a quick run', () =>
  checkServer(createSeededFile, { mode: 'quick' }));

test.concurrent('the reference server on PostgreSQL conforms in a quick run', () =>
  checkServer(createSeededPostgres, { mode: 'quick' }));

test.concurrent('the reference server on SQLite conforms in a run that observes retries', async () => {
  const text = await checkServer(createSeededFile, { mode: 'default' });
  expect(findLinesOnlyInReadme('Conformance of', text)).toEqual([]);
});
