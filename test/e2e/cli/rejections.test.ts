import { expect, it, onTestFinished } from 'vitest';
import { anOrder } from '../../helpers/an-order';
import { forTest } from '../../helpers/for-test';
import { startHttpServer } from '../../helpers/loopback';
import { runCli, startCli } from '../../helpers/run-cli';
import { findOrderId } from '../../helpers/seed';
import { startSeededServer } from '../../helpers/start-seeded-server';

it('every rejection has its exit code, leaves stdout empty and says on stderr what to do', async () => {
  const seeded = await forTest(startSeededServer());
  const setStatus = (status: string, to: string) => [
    'orders',
    'set-status',
    findOrderId(seeded.seed, status),
    to,
  ];
  const url = 'https://me:word@receiver.example/';
  const register = ['webhooks', 'register', '--url', url, '--events', 'order.created'];

  const seller = seeded.createEnvironment(seeded.seller);
  const elsewhere = { ...seller, TRADEPOST_BASE_URL: `${seller.TRADEPOST_BASE_URL}/shop` };
  const cases: [string[], Record<string, string>, number, string][] = [
    [['orders', 'lst'], seller, 2, 'usage'],
    [setStatus('pending', 'shipped'), seller, 2, 'usage'],
    [['orders', 'list'], { TRADEPOST_API_KEY: 'tpk_x' }, 2, 'usage'],
    [['orders', 'list'], { TRADEPOST_BASE_URL: 'http://127.0.0.1:1' }, 4, 'missing_api_key'],
    [['orders', 'list'], { ...seller, TRADEPOST_API_KEY: 'tpk_x' }, 4, 'invalid_api_key'],
    [
      setStatus('pending', 'confirmed'),
      seeded.createEnvironment(seeded.buyer),
      4,
      'account_kind_not_allowed',
    ],
    [
      ['orders', 'get', findOrderId(seeded.seed, 'pending')],
      seeded.createEnvironment(seeded.stranger),
      5,
      'order_not_found',
    ],
    [['notifications', 'read', 'ntf_nosuch'], seller, 5, 'notification_not_found'],
    [['orders', 'list'], elsewhere, 2, 'route_not_found'],
    [['orders', 'get', findOrderId(seeded.seed, 'pending')], elsewhere, 2, 'route_not_found'],
    [setStatus('completed', 'pending'), seller, 6, 'invalid_transition'],
    [register, seller, 1, 'validation_failed'],
  ];
  for (const [argv, env, exitCode, problem] of cases) {
    const ending = { argv, code: exitCode, stdout: '' };
    const [asText, asJson] = await Promise.all([
      runCli(argv, env),
      runCli([...argv, '--output', 'json'], env),
    ]);
    expect({ argv, ...asText }).toMatchObject(ending);
    expect({ argv, ...asJson }).toMatchObject(ending);
    expect(asText.stderr).toMatch(/^error: /);
    const { error } = JSON.parse(asJson.stderr);
    expect(error).toMatchObject({
      code: problem,
      message: expect.any(String),
      errors: expect.any(Array),
    });
    if (error.status !== null) {
      expect(error.requestId).toMatch(/./);
      expect(asText.stderr).toMatch(/\nrequest ID: \S+\n$/);
    }
  }
});

it('notifications read exits with 7 if some notifications fail, and prints the others', async () => {
  const seeded = await forTest(startSeededServer());
  const seller = seeded.createEnvironment(seeded.seller);
  const list = await runCli(['notifications', 'list', '--output', 'json'], seller);
  const [one] = JSON.parse(list.stdout);
  const argv = ['notifications', 'read', 'ntf_nosuch', one.id, '--output', 'json'];
  const { code, stdout, stderr } = await runCli(argv, seller);
  expect(code).toBe(7);
  expect(JSON.parse(stdout)).toEqual([{ ...one, read: true }]);
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'partial_failure',
    errors: [{ path: 'ntf_nosuch' }],
  });
});

it('the CLI exits with 9 when the service is unreachable', async () => {
  const env = { TRADEPOST_BASE_URL: 'http://127.0.0.1:1', TRADEPOST_API_KEY: 'tpk_x' };
  const { code, stdout, stderr } = await runCli(['orders', 'list'], env);
  expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
  expect(stderr).toContain('\nhint: Check TRADEPOST_BASE_URL');
});

it('Ctrl-C ends a request without response and exits with 130', async () => {
  // A peer that sends the order and then never responds, as a service behind a link that dies.
  let onRequest = () => {};
  const requested = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const silent = await startHttpServer(({ method }, response) => {
    if (method === 'PATCH') onRequest();
    else response.end(JSON.stringify({ data: anOrder({ id: 'ord_1' }) }));
  });
  onTestFinished(() => silent.close());
  const env = { TRADEPOST_BASE_URL: silent.url, TRADEPOST_API_KEY: 'tpk_x' };
  const argv = ['orders', 'set-status', 'ord_1', 'confirmed'];
  const cli = startCli(argv, env);
  await requested;
  expect(await cli.stop('SIGINT')).toEqual({
    code: 130,
    signal: null,
    stdout: '',
    stderr: [
      'error: Interrupted',
      'hint: The change may have been applied. Check before you repeat it. Check with `tradepost orders get ord_1`.',
      '',
    ].join('\n'),
  });
});
