import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createProfile } from '../../packages/conformance/src/profile/profile';
import { checkService } from '../../packages/conformance/src/run/check-service';
import { forTest } from '../helpers/for-test';
import { closeServer, listenOnLoopback } from '../helpers/loopback';
import { startMinimalService } from './minimal-service/start';
import { checkMinimalService } from './run-kit';

test.each([
  'Waiting for the event of the change',
  'Changing five orders',
  'Failing deliveries',
  'Observing retries',
])('a run that is interrupted at "%s" fails no check', async (phase) => {
  const stop = new AbortController();
  const report = await checkMinimalService(
    {},
    {
      mode: 'long',
      signal: stop.signal,
      onPhase: (text) => text.startsWith(phase) && stop.abort('by a test'),
    },
  );
  expect(report).toMatchObject({ interrupted: 'by a test', exitCode: 2 });
  const failed = report.checks.filter(({ verdict }) => verdict === 'fail');
  expect(failed.map(({ id, reason }) => [id, reason])).toEqual([]);
});

test('a run that is interrupted ends although the service does not respond', async () => {
  const stop = new AbortController();
  const server = createServer((request, response) => {
    if (request.method === 'GET') response.end('{"data":[]}');
    else stop.abort('by a test');
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
  expect(report).toMatchObject({ interrupted: 'by a test', exitCode: 2 });
});

test('a run whose command fails cancels its orders', async () => {
  const service = await forTest(startMinimalService({ fault: 'upperStatus' }));
  const { buyer, seller, agent, stranger } = service.accounts;
  const profile = createProfile({
    baseUrl: service.baseUrl,
    keys: { buyer: buyer.key, seller: seller.key, agent: agent.key, stranger: stranger.key },
    listing: service.listings.plain,
    pending: { command: ['false'] },
    receiver: { http: {} },
    events: { withinSeconds: 0.1 },
    waivers: [{ check: 'EVT-3', reason: 'the receiver of this test has no certificate' }],
  });
  await expect(checkService(profile)).rejects.toThrow('The command of pending failed');
  const headers = { authorization: `Bearer ${buyer.key}` };
  const list = await fetch(`${service.baseUrl}/v1/orders`, { headers });
  expect(await list.json()).toMatchObject({ data: [{ status: 'cancelled' }] });
});

test('a long run that is interrupted during the day keeps what was judged before', async () => {
  const stop = new AbortController();
  const report = await checkMinimalService(
    {},
    {
      mode: 'long',
      signal: stop.signal,
      onPhase: (text) => text === 'Observing retries for a day' && stop.abort('by a test'),
    },
  );
  const verdicts = new Map(report.checks.map(({ id, verdict }) => [id, verdict]));
  const all = ['EVT-12', 'RTY-1', 'RTY-3', 'IDM-1', 'RTY-8', 'RTY-9'].map((id) => verdicts.get(id));
  expect(all).toEqual(['pass', 'pass', 'pass', 'n/a', 'not run', 'not run']);
});
