import { expect, test } from 'vitest';
import { runCli } from '../helpers/run-cli';

test.each([
  ['orders cancel ord_1', '`tradepost orders set-status ID cancelled`'],
  ['webhooks create', '`tradepost webhooks register`'],
  ['listen', '`tradepost webhooks listen`'],
  ['auth login', '`tradepost login`'],
  ['orders ls', '`tradepost orders list`'],
  ['webhooks rm whk_1', '`tradepost webhooks delete`'],
  ['webhooks lst', 'list'],
  ['orders rm', null],
  ['orders list --format json', '--output'],
  ['orders list --from 2d', '--since'],
  ['webhooks list --force', null],
  ['orders list --field id', '--fields'],
])('`%s` leads to: %s', async (line, meant) => {
  const { exitCode, stdout, stderr } = await runCli(line.split(' '));
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(/Did you mean (.*)\? See `tradepost /.exec(stderr)?.[1] ?? null).toBe(meant);
});

test('what follows an unknown option is not shown, since it may be a secret', async () => {
  const { stderr } = await runCli(['api', 'POST', '/v1/x', '-Hx-secret: hunter2']);
  expect(stderr).not.toContain('hunter2');
});
