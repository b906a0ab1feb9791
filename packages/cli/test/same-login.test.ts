import { describe, expect, it } from 'vitest';
import { asSameLogin } from '../src/same-login';
import { aProblem, BareService } from './setting/bare-service';
import { loginFolder } from './setting/login-folder';
import { aDeliveryRecord } from './setting/webhook-builders';

describe('a command that a hint advises', () => {
  it.each([
    [
      '`tradepost orders get ord_1` shows it.',
      '`tradepost orders get ord_1 --profile b` shows it.',
    ],
    ['Log in with `tradepost login`.', 'Log in with `tradepost login --profile b`.'],
    [
      'See `tradepost webhooks list` and `tradepost doctor`.',
      'See `tradepost webhooks list --profile b` and `tradepost doctor --profile b`.',
    ],
  ])('gets the options of the login that was asked with: %s', (text, completed) => {
    expect(asSameLogin(text, { profile: 'b' })).toBe(completed);
  });

  it.each([
    '`tradepost login --profile c` makes it',
    '`tradepost login --base-url URL < FILE`',
    '`tradepost orders set-status --help` shows what there is.',
    '`tradepost profiles list` shows those there are.',
    '`--events order.created`',
    'tradepost orders get ord_1',
  ])('is left as it is where it has them, or asks no service: %s', (text) => {
    expect(asSameLogin(text, { profile: 'b' })).toBe(text);
  });

  it('is left as it is where no option said whom to ask', () => {
    expect(asSameLogin('`tradepost orders get ord_1`', {})).toBe('`tradepost orders get ord_1`');
  });

  it('is whole for a shell, whatever the base URL has', () => {
    const login = { baseUrl: 'https://trade.example/a b', profile: 'b' };
    expect(asSameLogin('`tradepost doctor`', login)).toBe(
      "`tradepost doctor --profile b --base-url 'https://trade.example/a b'`",
    );
  });
});

describe('a command with --profile', () => {
  async function aService() {
    const service = await BareService.start();
    const login = { baseUrl: service.baseUrl, apiKey: 'tpk_b' };
    const { env } = loginFolder({ a: { ...login, apiKey: 'tpk_a' }, b: login }, 'a');
    return { service, setting: { env: { ...env } } };
  }

  it('advises commands with it when it fails, as text and as JSON', async () => {
    const { service, setting } = await aService();
    service.instead = () => aProblem(409, 'illegal_transition');
    const argv = ['orders', 'set-status', 'ord_1', 'completed', '--profile', 'b'];
    const hint = '`tradepost orders get ord_1 --profile b` shows where the order stands.';
    expect((await service.cli(argv, setting)).stderr).toContain(`\nhint: ${hint}\n`);
    const { stderr } = await service.cli([...argv, '--output', 'json'], setting);
    expect(JSON.parse(stderr).error.hint).toBe(hint);
  });

  it('advises with it how to mend a delivery', async () => {
    const { service, setting } = await aService();
    service.instead = ({ path }) =>
      path.startsWith('/v1/deliveries/')
        ? { status: 200, body: { data: aDeliveryRecord({}) } }
        : aProblem(404, 'webhook_not_found');
    const argv = ['webhooks', 'explain', 'dlv_1', '--profile', 'b', '--output', 'json'];
    const { stdout } = await service.cli(argv, setting);
    const { advice } = JSON.parse(stdout);
    expect(advice.at(-1)).toMatch(/`tradepost webhooks replay dlv_\w+ --profile b`\.$/);
  });
});
