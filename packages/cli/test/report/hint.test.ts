import { describe, expect, it } from 'vitest';
import { formatHints } from '../../src/report/hint';
import { aProblem, BareService } from '../helpers/minimal-service';
import { loginFolder } from '../helpers/profile-folder';
import { aDeliveryRecord } from '../helpers/webhook-builders';

describe('formatHints', () => {
  const hint = { text: 'To see it, run', command: 'orders get', args: ['ord_1'] };

  it('adds the connection flags to a command', () => {
    expect(formatHints([hint], { profile: 'b' })).toBe(
      'To see it, run `tradepost orders get ord_1 --profile b`.',
    );
  });

  it('joins hints, and adds the flags to each command', () => {
    const login = { text: 'Or run', command: 'login' };
    expect(formatHints(['Check the key.', hint, login], { profile: 'b' })).toBe(
      'Check the key. To see it, run `tradepost orders get ord_1 --profile b`. Or run `tradepost login --profile b`.',
    );
  });

  it('adds no flags to a command that contacts no service', () => {
    const local = { text: 'See', command: 'profiles list', local: true } as const;
    expect(formatHints([local], { profile: 'b' })).toBe('See `tradepost profiles list`.');
  });

  it('adds nothing without flags, and returns null without hints', () => {
    expect(formatHints([hint])).toBe('To see it, run `tradepost orders get ord_1`.');
    expect(formatHints([], { profile: 'b' })).toBeNull();
  });

  it('quotes a base URL for the shell', () => {
    const flags = { baseUrl: 'https://trade.example/a b', profile: 'b' };
    expect(formatHints([{ text: 'Run', command: 'doctor' }], flags)).toBe(
      "Run `tradepost doctor --profile b --base-url 'https://trade.example/a b'`.",
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
    service.instead = () => aProblem(409, 'invalid_transition');
    const argv = ['orders', 'set-status', 'ord_1', 'completed', '--profile', 'b'];
    const hint = 'To see the order, run `tradepost orders get ord_1 --profile b`.';
    expect((await service.cli(argv, setting)).stderr).toContain(`\nhint: ${hint}\n`);
    const { stderr } = await service.cli([...argv, '--output', 'json'], setting);
    expect(JSON.parse(stderr).error.hint).toBe(hint);
  });

  it('shows in hints how to fix a delivery', async () => {
    const { service, setting } = await aService();
    service.instead = ({ path }) =>
      path.startsWith('/v1/deliveries/')
        ? { status: 200, body: { data: aDeliveryRecord({}) } }
        : aProblem(404, 'webhook_not_found');
    const argv = ['webhooks', 'explain', 'dlv_1', '--profile', 'b', '--output', 'json'];
    const { stdout } = await service.cli(argv, setting);
    const { hints } = JSON.parse(stdout);
    expect(hints.at(-1)).toMatch(/`tradepost webhooks replay dlv_\w+ --profile b`\.$/);
  });
});
