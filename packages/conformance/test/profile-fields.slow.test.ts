import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { FaultName } from '../../../test/conformance/minimal-service/faults';
import { startMinimalService } from '../../../test/conformance/minimal-service/start';
import { forTest } from '../../../test/helpers/for-test';
import { closeServer, listenOnLoopback } from '../../../test/helpers/loopback';
import { createProfile, type ProfileInput } from '../src/profile/profile';
import { type CheckOptions, checkService } from '../src/run/check-service';

const node = (code: string, ...args: string[]) => ({
  command: [process.execPath, '-e', code, ...args],
});

/** Runs the kit with what a profile says about the accounts and listings of a minimal service. */
async function check(
  fault: FaultName | undefined,
  describe: (service: Awaited<ReturnType<typeof startMinimalService>>) => Partial<ProfileInput>,
  options: CheckOptions = {},
) {
  const service = await forTest(startMinimalService({ fault }));
  const { buyer, seller, agent, stranger } = service.accounts;
  const report = await checkService(
    createProfile({
      baseUrl: service.baseUrl,
      keys: { buyer: buyer.key, seller: seller.key, agent: agent.key, stranger: stranger.key },
      listing: service.listings.plain,
      receiver: { http: {} },
      events: { withinSeconds: 5, quietSeconds: 0.3 },
      waivers: [{ check: 'EVT-3', reason: 'the receiver of this test has no certificate' }],
      ...describe(service),
    }),
    { mode: 'quick', level: 'core', ...options },
  );
  const verdict = (id: string) => report.checks.find((one) => one.id === id)?.verdict;
  return { ...report, verdict };
}
const withStrangerSeller = ({
  accounts: { buyer, seller, agent, stranger, strangerSeller },
}: Awaited<ReturnType<typeof startMinimalService>>): Partial<ProfileInput> => ({
  keys: {
    ...{ buyer: buyer.key, seller: seller.key, agent: agent.key },
    ...{ stranger: stranger.key, strangerSeller: strangerSeller.key },
  },
});

test('VIS-5 passes if the seller of other orders changes nothing', async () => {
  const { verdict } = await check(undefined, withStrangerSeller);
  expect(verdict('VIS-5')).toBe('pass');
});

test('VIS-5 is advice if the seller of other orders changes an order, and fails only with --strict', async () => {
  const codes = await Promise.all(
    [false, true].map(async (strict) => {
      const options = { strict, only: ['VIS-5'] };
      const report = await check('strangerUpdates', withStrangerSeller, options);
      return [report.verdict('VIS-5'), report.exitCode];
    }),
  );
  expect(codes).toEqual([
    ['advice', 0],
    ['advice', 1],
  ]);
});

test('nothing is hidden from a stranger who is an operator: those checks are inconclusive', async () => {
  const report = await check(undefined, ({ accounts: { buyer, seller, agent, operator } }) => ({
    keys: { buyer: buyer.key, seller: seller.key, agent: agent.key, stranger: operator.key },
    stranger: 'operator',
  }));
  const verdicts = ['VIS-1', 'VIS-2', 'VIS-3', 'VIS-4'].map(report.verdict);
  expect(verdicts).toEqual(Array(4).fill('inconclusive'));
  expect(report.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
});

test('commands of a profile give listings and secrets, and make orders pending', async () => {
  const readSecret = [
    'const headers = JSON.parse(process.env.RESPONSE_HEADERS);',
    'if (process.env.RESPONSE_STATUS !== "201" || !headers["content-type"]) process.exit(1);',
    'const { data } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));',
    'console.log(Object.entries(data).find(([name]) => /secret/i.test(name))[1]);',
  ].join('\n');
  const report = await check(undefined, ({ listings }) => ({
    listing: node('console.log(process.argv[1])', listings.plain),
    listingWithAgent: node('console.log(process.argv[1])', listings.withAgent),
    pending: node('process.exit(process.argv[1].startsWith("ord_") ? 0 : 1)'),
    webhooks: { secret: node(readSecret) },
  }));
  expect(report.exitCode).toBe(0);
  expect(['CRE-1', 'AUTH-6', 'SIG-3'].map(report.verdict)).toEqual(['pass', 'pass', 'pass']);
});

test('the teardown gives up a service that does not respond any more', async () => {
  const stop = new AbortController();
  let created = 0;
  const server = createServer((request, response) => {
    if (request.method === 'GET' && created === 0) response.end('{"data":[]}');
    else if (request.url === '/v1/webhooks') response.end('{"data":{}}');
    else if (request.method === 'POST' && created === 0) {
      created += 1;
      response.end('{"data":{"id":"ord_1","status":"pending"}}');
    } else stop.abort('by a test');
  });
  const port = await listenOnLoopback(server);
  onTestFinished(() => closeServer(server));
  const profile = createProfile({
    baseUrl: `http://127.0.0.1:${port}`,
    keys: { buyer: 'buyer-key', seller: 'seller-key', agent: 'agent-key', stranger: 'other-key' },
    listing: 'lst_1',
    receiver: { http: {} },
    waivers: [{ check: 'EVT-3', reason: 'the receiver of this test has no certificate' }],
  });
  const report = await checkService(profile, { signal: stop.signal });
  expect(report.left).toContain('order ord_1 (not readable)');
});
