import {
  createIdGenerator,
  createLog,
  insecureWebhookPolicy,
  openSqliteStore,
  seed,
  startServer,
  systemClock,
} from '@tradepost/server';
import { expect, type TestContext, test } from 'vitest';
import { extensionChecks } from '../../packages/conformance/src/checks/extensions/run-extensions';
import { createProfile } from '../../packages/conformance/src/profile/profile';
import { checkService } from '../../packages/conformance/src/run/check-service';
import { findUnusedPort } from '../helpers/loopback';
import { type BrokenPromise, createBreakages } from './breakages';
import { untilMeasured } from './run-kit';
import { startBreakingProxy } from './start-breaking-proxy';

/** Checks the extensions of the reference server behind two proxies: one before it, one before the receiver of the kit. */
async function checkExtensions(
  { onTestFinished }: TestContext,
  find: (all: BrokenPromise[]) => BrokenPromise | undefined = () => undefined,
  { rateLimit = 1_000_000, only = [] as string[], clockAheadMs = 0 } = {},
) {
  const clock: typeof systemClock =
    clockAheadMs === 0
      ? systemClock
      : { ...systemClock, isReal: false, now: () => Date.now() + clockAheadMs };
  const store = openSqliteStore(':memory:');
  const { accounts, listings } = await seed(store, clock, createIdGenerator());
  const server = await startServer({
    ...{ store, log: createLog('silent'), host: '127.0.0.1', port: 0, docs: false },
    ...{ rateLimit, clock, webhookPolicy: insecureWebhookPolicy },
  });
  onTestFinished(() => server.close());
  const [buyer = '', seller = '', agent = '', stranger = ''] = accounts.map(({ apiKey }) => apiKey);
  const broken = find(createBreakages({ buyer, seller }));
  const port = await findUnusedPort();
  const front = await startBreakingProxy(server.url, broken?.api ?? {});
  onTestFinished(front.close);
  const hooks = await startBreakingProxy(`http://127.0.0.1:${port}`, broken?.deliveries ?? {});
  onTestFinished(hooks.close);
  const profile = createProfile({
    baseUrl: front.url,
    keys: { buyer, seller, agent, stranger },
    // It has no agent, and 200 units.
    listing: listings[1]?.id ?? '',
    receiver: { publicUrl: hooks.url, listen: { port } },
    events: { withinSeconds: 10, quietSeconds: 1 },
    provokeRateLimit: only.includes('RTE-3'),
    waivers: [{ check: 'EVT-3', reason: 'The receiver is on loopback.' }],
  });
  const report = await untilMeasured(() => checkService(profile, { level: 'extensions', only }));
  // Keys and secrets are in no report, whatever the service shows.
  expect(JSON.stringify(report)).not.toMatch(/(tpk|whsec)_[\w+/]{10}/);
  const { checks, exitCode } = report;
  const failed = checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'advice');
  return { checks, exitCode, failed: failed.map(({ id, reason }) => ({ id, reason })) };
}

/** Only their names: each test has breakages with states of their own. */
const names = createBreakages({ buyer: '', seller: '' });

test('every check of an extension is failed by a breakage of its own', () => {
  const named = new Set([...names.map(({ fails }) => fails[0]), 'RTE-3']);
  const all = extensionChecks.map(({ id }) => id);
  // RTE-2 is advice.
  expect(all.filter((id) => !named.has(id))).toEqual(['RTE-2']);
});

// All further tests run at the same time: a run waits more than it computes.

test.concurrent('the reference server keeps every promise of its extensions', async (context) => {
  const { checks, exitCode } = await checkExtensions(context);
  const others = checks.filter(({ verdict }) => verdict !== 'pass');
  expect(others.map(({ id, reason }) => [id, reason])).toEqual([
    ['RTE-3', 'It needs provokeRateLimit: true in the profile.'],
  ]);
  expect(exitCode).toBe(0);
});

test.concurrent('a clock that is 90 s ahead fails no check', async (context) => {
  const clockAheadMs = 90_000;
  const api: BrokenPromise['api'] = {
    response({ headers }) {
      headers.date = new Date(Date.now() + clockAheadMs).toUTCString();
    },
  };
  const find = () => ({ what: '', fails: ['DLV-2'] as const, api });
  const { failed } = await checkExtensions(context, find, { clockAheadMs });
  expect(failed).toEqual([]);
});

test.concurrent('two keys of one account end the run, and are named', async (context) => {
  let buyer = '';
  const api: BrokenPromise['api'] = {
    request({ path, headers }) {
      if (!path.endsWith('/v1/account')) return;
      buyer ||= String(headers.authorization);
      headers.authorization = buyer;
    },
  };
  const find = () => ({ what: '', fails: ['ACC-2'] as const, api });
  await expect(checkExtensions(context, find)).rejects.toThrow(
    /^keys.buyer and keys.seller are of one account, usr_\w+[.]/,
  );
});

test.concurrent('a limited client is told when to try again, or RTE-3 fails', async (context) => {
  const limited = { rateLimit: 30, only: ['RTE-3'] };
  const findVerdict = async (api: BrokenPromise['api']) => {
    const silent: BrokenPromise = { what: '', fails: ['RTE-3'], ...(api && { api }) };
    const { checks } = await checkExtensions(context, () => silent, limited);
    return checks.find(({ id }) => id === 'RTE-3')?.verdict;
  };
  const drop = ({ headers }: { headers: object }) => Reflect.deleteProperty(headers, 'retry-after');
  const runs = [findVerdict(undefined), findVerdict({ response: drop })];
  expect(await Promise.all(runs)).toEqual(['pass', 'fail']);
  // The run waits for the end of the limit, a minute later, before it deletes its webhooks.
});

test.concurrent.for(names)(
  'a service that $what fails $fails.0',
  async ({ what, fails }, context) => {
    const { exitCode, failed } = await checkExtensions(context, (all) =>
      all.find((candidate) => candidate.what === what),
    );
    expect(failed.map(({ id }) => id)).toContain(fails[0]);
    expect(failed.filter(({ id }) => !fails.includes(id))).toEqual([]);
    expect(exitCode).toBe(1);
  },
);
