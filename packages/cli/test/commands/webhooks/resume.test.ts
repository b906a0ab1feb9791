import type { WebhookDetails } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { aProblem, BareService } from '../../helpers/minimal-service';
import { runAtKeyboard, type Typing } from '../../helpers/run-at-keyboard';
import { aDelivery, aWebhook } from '../../helpers/webhook-builders';

const { id } = aWebhook();
const disabled = {
  status: 'paused',
  disabledAt: '2026-11-21T10:00:00.000Z',
  failingSince: '2026-11-18T09:30:00.000Z',
  lastStatus: 503,
} as const;
const since = '2026-11-18T09:29:00.000Z';
const command = `tradepost webhooks replay --failed --webhook ${id} --since ${since}`;

/** A service with one webhook, and deliveries to it that failed. */
async function start(webhook: Partial<WebhookDetails> = disabled, failed = 3) {
  const service = await BareService.start();
  service.instead = ({ method, path }) => {
    if (path.endsWith('/replays')) {
      const data = { replayed: failed, skipped: 0, nextCursor: null };
      return { status: 202, body: { data } };
    }
    if (path.startsWith('/v1/deliveries')) {
      const data = Array.from({ length: failed }, (_, index) => aDelivery({ id: `dlv_${index}` }));
      return { status: 200, body: { data, nextCursor: null } };
    }
    return { status: 200, body: { data: method === 'PATCH' ? aWebhook() : aWebhook(webhook) } };
  };
  return service;
}

const listChanges = ({ seen }: BareService) =>
  seen.flatMap(({ method, path, body }) => (method === 'GET' ? [] : [{ path, body }]));
const resumption = { path: `/v1/webhooks/${id}`, body: { status: 'active' } };
const replay = {
  path: `/v1/webhooks/${id}/replays`,
  body: expect.objectContaining({ state: 'failed', since }),
};

describe('webhooks resume', () => {
  it('says what a disabled webhook missed, and prints the command that replays it', async () => {
    const service = await start();
    const { exitCode, stdout, stderr } = await service.cli(['webhooks', 'resume', id, '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id, status: 'active', disabledAt: null });
    expect(stderr).toContain(
      `It was disabled at ${disabled.disabledAt}: 3 deliveries failed since ${since}.`,
    );
    expect(stderr).toContain(`\`${command}`);
    expect(listChanges(service)).toEqual([resumption]);
    const [list] = service.seen.filter(({ path }) => path === '/v1/deliveries');
    expect(list?.query).toMatchObject({ webhookId: id, state: 'failed', since });
  });

  it('replays it with --replay', async () => {
    const service = await start();
    const { exitCode, stderr } = await service.cli(['webhooks', 'resume', id, '--replay']);
    expect([exitCode, listChanges(service)]).toEqual([0, [resumption, replay]]);
    expect(stderr).toContain('Replayed 3 deliveries.');
  });

  it('says how to go on if the replay fails', async () => {
    const service = await start();
    const respond = service.instead;
    service.instead = (request) =>
      request.path.endsWith('/replays') ? aProblem(403, 'forbidden') : respond?.(request);
    const { exitCode, stderr } = await service.cli(['webhooks', 'resume', id, '--replay']);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(`${id} is resumed, and 0 deliveries replayed.`);
    expect(stderr).toContain(command);
  });

  it.each<[string, Partial<WebhookDetails>, number]>([
    ['of a webhook that its account paused', { ...disabled, disabledAt: null }, 3],
    ['of a service without the extension', { status: 'paused' }, 3],
    ['if nothing failed', disabled, 0],
  ])('offers nothing %s', async (_, webhook, failed) => {
    const service = await start(webhook, failed);
    const { stderr } = await service.cli(['webhooks', 'resume', id]);
    expect(stderr).not.toContain('webhooks replay');
    if (failed === 0) expect(stderr).toContain(`: no delivery failed since ${since}.`);
    expect(listChanges(service)).toEqual([resumption]);
  });

  it('resumes also if the service does not show deliveries', async () => {
    const service = await start();
    const respond = service.instead;
    service.instead = (request) =>
      request.path === '/v1/deliveries' ? aProblem(404, 'route_not_found') : respond?.(request);
    const { exitCode, stderr } = await service.cli(['webhooks', 'resume', id]);
    expect([exitCode, listChanges(service)]).toEqual([0, [resumption]]);
    expect(stderr).toContain('Its failed deliveries: ');
  });

  describe('on a terminal', () => {
    async function type(typing: readonly Typing[], ...options: string[]) {
      const service = await start();
      const env = {
        TRADEPOST_BASE_URL: service.baseUrl,
        TRADEPOST_API_KEY: 'tpk_test',
        TRADEPOST_CONFIG_DIR: '/nonexistent/c',
      };
      const argv = ['webhooks', 'resume', id, ...options];
      const result = await runAtKeyboard(argv, typing, env, { columns: 200 });
      return { ...result, changes: listChanges(service) };
    }
    const question = `Replay 3 deliveries to ${id}?`;

    it('asks whether to replay it', async () => {
      const agreed = await type([[question, 'y']]);
      expect(agreed).toMatchObject({ exitCode: 0, changes: [resumption, replay] });
      const declined = await type([[question, 'n']]);
      expect(declined).toMatchObject({ exitCode: 0, changes: [resumption], isRestored: true });
      expect(declined.stderr).toContain(command);
      expect(declined.stderr).not.toContain('Nothing changed');
    });

    it('does not ask with --no-replay', async () => {
      const { exitCode, stderr, changes } = await type([], '--no-replay');
      expect([exitCode, changes]).toEqual([0, [resumption]]);
      expect(stderr).not.toContain(question);
      expect(stderr).toContain(command);
    });
  });
});
