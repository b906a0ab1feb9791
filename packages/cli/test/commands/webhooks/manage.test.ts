import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenStream } from '../../helpers/fake-stream';
import { aProblem, BareService, type SeenRequest } from '../../helpers/minimal-service';
import { aDelivery, aDeliveryRecord, aFolder, aWebhook } from '../../helpers/webhook-builders';

const id = 'whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW';

async function serviceWith(replies: Record<string, unknown>): Promise<BareService> {
  const service = await BareService.start();
  service.instead = ({ method, path }: SeenRequest) => {
    const body = replies[`${method} ${path}`];
    if (body === undefined) return undefined;
    return body === null ? { status: 204, body: undefined } : { status: 200, body };
  };
  return service;
}

function asked(service: BareService) {
  return service.seen.map(({ method, path, body }) => [method, path, body]);
}

describe('webhooks list and get', () => {
  it('shows the state of the deliveries', async () => {
    const webhook = aWebhook({ pendingDeliveries: 3, consecutiveFailures: 7, status: 'paused' });
    const service = await serviceWith({
      'GET /v1/webhooks': { data: [webhook], nextCursor: null },
      [`GET /v1/webhooks/${id}`]: { data: webhook },
    });
    const { stdout } = await service.cli(['webhooks', 'list']);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'STATUS', 'PENDING', 'LAST', 'URL', 'EVENTS', 'CREATED'],
      [id, 'paused', '3', '-', webhook.url, 'order.created', webhook.createdAt],
      [''],
    ]);
    const one = await service.cli(['webhooks', 'get', id, '--output', 'json']);
    expect(JSON.parse(one.stdout)).toEqual(webhook);
    const csv = await service.cli(['webhooks', 'list', '--output', 'csv']);
    expect(csv.stdout.split('\n')[1]).toContain('order.created,paused');
  });

  it('keeps the host of the URL on a narrow terminal', async () => {
    const url = 'https://receiver.shop.example/tradepost';
    const webhook = aWebhook({ url });
    const service = await serviceWith({
      'GET /v1/webhooks': { data: [webhook], nextCursor: null },
    });
    const { stdout } = await service.cli(['webhooks', 'list'], { screen: { columns: 80 } });
    expect(stdout).toBe(
      [
        'ID                              STATUS  PENDING  LAST  URL',
        `${id}  active        0  -     receiver.shop.example…ost`,
        '',
      ].join('\n'),
    );
  });

  it.each([
    [['webhooks', 'list'], 2, 'needs the extension'],
    [['webhooks', 'get', id], 5, 'needs the extension'],
    [['webhooks', 'pause', id], 5, 'needs the extension'],
    [['webhooks', 'delete', id, '--yes'], 5, 'needs the extension'],
    [['webhooks', 'deliveries'], 2, 'needs the extension'],
    [['events', 'list'], 2, 'needs the extension'],
  ])(
    '%j ends with a clear error on a service with only the seven endpoints',
    async (argv, exitCode, said) => {
      const service = await BareService.start();
      const result = await service.cli(argv);
      expect(result).toMatchObject({ exitCode, stdout: '' });
      expect(result.stderr).toContain(said);
      expect(result.stderr).toContain('Check TRADEPOST_BASE_URL');
    },
  );
});

describe('webhooks update, pause and resume', () => {
  it('changes only the given fields', async () => {
    const service = await serviceWith({
      [`GET /v1/webhooks/${id}`]: { data: aWebhook({ status: 'paused' }) },
      [`PATCH /v1/webhooks/${id}`]: { data: aWebhook() },
    });
    const url = 'https://receiver.example/new';
    for (const argv of [
      ['update', id, '--url', url],
      ['update', id, '--events', 'order.created, task.completed'],
      ['pause', id],
      ['resume', id],
    ]) {
      const { exitCode, stdout } = await service.cli(['webhooks', ...argv, '--output', 'json']);
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toEqual(aWebhook());
    }
    const changes = service.seen.filter(({ method }) => method === 'PATCH');
    expect(changes.map(({ body }) => body)).toEqual([
      { url },
      { events: ['order.created', 'task.completed'] },
      { status: 'paused' },
      { status: 'active' },
    ]);
  });

  it('changes and removes the description, the headers and the limit', async () => {
    const service = await serviceWith({ [`PATCH /v1/webhooks/${id}`]: { data: aWebhook() } });
    const [filled, empty] = [join(await aFolder(), 'filled'), join(await aFolder(), 'empty')];
    await writeFile(filled, 'X-Env: staging\nX-Receiver:  a: b \n');
    await writeFile(empty, '');
    for (const options of [
      ['--description', 'Orders', '--headers-file', filled, '--attempts-per-minute', '60'],
      ['--description', '', '--headers-file', empty, '--attempts-per-minute', 'none'],
    ]) {
      expect(await service.cli(['webhooks', 'update', id, ...options])).toMatchObject({
        exitCode: 0,
      });
    }
    expect(service.seen.map(({ body }) => body)).toEqual([
      {
        description: 'Orders',
        headers: { 'X-Env': 'staging', 'X-Receiver': 'a: b' },
        attemptsPerMinute: 60,
      },
      { description: null, headers: {}, attemptsPerMinute: null },
    ]);
  });

  it.each([
    [['update', id]],
    [['update', id, '--attempts-per-minute', '0']],
    [['update', id, '--headers-file', '/nonexistent']],
    [['update', id, '--url', 'ftp://receiver.example']],
    [['update', id, '--url', 'https://a.example', '--fields', 'colour']],
    [['pause', 'ord_1']],
    [['resume', 'whk_1', '--fields', 'colour']],
    [['retry', 'whk_1', '--fields', 'colour']],
  ])('%j is rejected before anything is sent', async (argv) => {
    const service = await BareService.start();
    expect(await service.cli(['webhooks', ...argv])).toMatchObject({ exitCode: 2, stdout: '' });
    expect(service.seen).toEqual([]);
  });
});

describe('webhooks delete', () => {
  const webhook = aWebhook({ events: ['order.created', 'task.completed'] });
  const described = `${id} (${webhook.url} for order.created, task.completed)`;
  const replies = {
    [`GET /v1/webhooks/${id}`]: { data: webhook },
    [`DELETE /v1/webhooks/${id}`]: null,
  };

  it('requires --yes without a terminal, and names the URL and the events', async () => {
    const service = await serviceWith(replies);
    const { exitCode, stdout, stderr } = await service.cli(['webhooks', 'delete', id]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toBe(
      `error: Confirmation needed: Delete ${described} with all its deliveries?\nhint: Nothing changed. Pass --yes.\n`,
    );
    expect(service.seen.map(({ method }) => method)).toEqual(['GET']);
  });

  it('prints what it deleted, with its URL and its events', async () => {
    const service = await serviceWith(replies);
    const argv = ['webhooks', 'delete', id, '--yes', '--output', 'json'];
    const removed = await service.cli(argv);
    expect(removed).toMatchObject({ exitCode: 0, stderr: '' });
    const { url, events } = webhook;
    expect(JSON.parse(removed.stdout)).toEqual({ id, url, events, deleted: true });
    expect(asked(service)).toEqual([
      ['GET', `/v1/webhooks/${id}`, undefined],
      ['DELETE', `/v1/webhooks/${id}`, undefined],
    ]);
    const unseen = await service.cli(argv, { stdout: brokenStream('EPIPE') });
    expect(unseen).toMatchObject({ exitCode: 0, stderr: `${id} is deleted.\n` });
  });

  it('deletes without them if the service shows no webhooks', async () => {
    const service = await serviceWith(replies);
    const { instead } = service;
    service.instead = (request) =>
      request.method === 'GET' ? { status: 405, body: undefined } : instead(request);
    const argv = ['webhooks', 'delete', id, '--output', 'json'];
    const { stderr } = await service.cli(argv);
    expect(JSON.parse(stderr).error.message).toContain(`Delete ${id} with all its deliveries?`);
    const { exitCode, stdout } = await service.cli([...argv, '--yes']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ id, url: null, events: null, deleted: true });
  });

  it('reports an unknown webhook before it asks, and deletes nothing', async () => {
    const service = await BareService.start();
    service.instead = () => aProblem(404, 'webhook_not_found');
    const { exitCode, stderr } = await service.cli(['webhooks', 'delete', id]);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('webhook_not_found');
    expect(service.seen.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('webhooks rotate-secret', () => {
  const nextSteps = [
    'Next: configure your receivers to accept both secrets. Neither expires: the current one stays in use until you promote the new one.',
    'Then promote it, which ends the current secret:',
    `tradepost webhooks rotate-secret ${id} --promote`,
    '',
  ].join('\n');
  const staged = { webhookId: id, secret: 'whsec_bmV4dA==', stagedAt: '2026-11-21T09:30:00.000Z' };

  it('shows the staged secret once, and prints the second step', async () => {
    const service = await serviceWith({ [`POST /v1/webhooks/${id}/secret`]: { data: staged } });
    service.instead = ({ path }) => {
      return path.endsWith('promote') ? undefined : { status: 201, body: { data: staged } };
    };
    const { exitCode, stdout, stderr } = await service.cli([
      'webhooks',
      'rotate-secret',
      id,
      '--output',
      'json',
    ]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(staged);
    expect(stderr).toBe(`The secret is not shown again.\n${nextSteps}`);
  });

  it('prints the second step for the same account after the secret was saved in a file', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 201, body: { data: staged } });
    const file = join(await aFolder(), 'next.secret');
    const connection = ['--base-url', service.baseUrl];
    const argv = ['webhooks', 'rotate-secret', id, '--secret-file', file, ...connection];
    const { exitCode, stderr } = await service.cli(argv);
    expect(exitCode).toBe(0);
    const command = nextSteps.replace('--promote', `--promote ${connection.join(' ')}`);
    expect(stderr).toBe(`Secret saved in ${file}. It is not shown again.\n${command}`);
  });

  it('prints what to do with the old secret after the promotion', async () => {
    const service = await BareService.start();
    service.instead = () => ({
      status: 200,
      body: { data: aWebhook({ events: ['a.type_of_tomorrow', 'task.completed'] }) },
    });
    const argv = ['webhooks', 'rotate-secret', id, '--promote', '--yes'];
    const { exitCode, stderr } = await service.cli(argv);
    expect(exitCode).toBe(0);
    expect(stderr).toBe(
      [
        'The old secret signs nothing any more: remove it from your receivers.',
        'Check them with a test event:',
        `tradepost webhooks test ${id} --event task.completed --wait`,
        '',
      ].join('\n'),
    );
  });

  it('prints a command on a narrow terminal so that it runs as it is copied', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 200, body: { data: aWebhook() } });
    const argv = ['webhooks', 'rotate-secret', id, '--promote', '--yes'];
    const { stderr } = await service.cli(argv, { screen: { columns: 40 } });
    const [, command = ''] = stderr.split('test event:\n');
    expect(command).toContain(' \\\n');
    expect(command.replaceAll(/ \\\n +/g, ' ')).toBe(
      `tradepost webhooks test ${id} --event order.created --wait\n`,
    );
  });

  it('promotes with --promote --yes, and prints a hint if none is staged', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 200, body: { data: aWebhook() } });
    const argv = ['webhooks', 'rotate-secret', id, '--promote'];
    expect((await service.cli(argv)).exitCode).toBe(2);
    expect(service.seen).toEqual([]);
    expect((await service.cli([...argv, '--yes'])).exitCode).toBe(0);
    expect(service.seen[0]).toMatchObject({ method: 'POST' });
    expect(service.seen[0]?.path).toContain('promote');

    service.instead = () => aProblem(409, 'no_staged_secret');
    const failed = await service.cli([...argv, '--yes']);
    expect(failed.exitCode).toBe(6);
    expect(failed.stderr).toContain('hint: Stage a secret first');
  });
});

describe('--secret-file', () => {
  const register = [
    'webhooks',
    'register',
    '--url',
    'https://a.example',
    '--events',
    'order.created',
  ];

  it('receives the secret, readable only by its owner, and nothing else shows it', async () => {
    const service = await BareService.start();
    const file = join(await aFolder(), 'webhook.secret');
    const argv = [...register, '--secret-file', file, '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect(exitCode).toBe(0);
    expect(await readFile(file, 'utf8')).toBe('whsec_c2VjcmV0\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(stdout)).toEqual({
      id: 'whk_1',
      url: 'https://a.example',
      events: ['order.created'],
    });
    expect(stdout + stderr).not.toContain('whsec_');
  });

  it('is never overwritten, and nothing is sent then', async () => {
    const service = await BareService.start();
    const file = join(await aFolder(), 'webhook.secret');
    await writeFile(file, 'precious');
    const { exitCode, stderr } = await service.cli([...register, '--secret-file', file]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('exists');
    expect(await readFile(file, 'utf8')).toBe('precious');
    expect(service.seen).toEqual([]);
  });

  it('is not left behind empty when the service rejects the request', async () => {
    const service = await BareService.start();
    service.instead = () => aProblem(422, 'validation_failed');
    const file = join(await aFolder(), 'webhook.secret');
    expect((await service.cli([...register, '--secret-file', file])).exitCode).toBe(1);
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });
});

describe('webhooks test', () => {
  const argv = ['webhooks', 'test', id, '--event', 'order.created'];
  const queued = aDelivery({ state: 'pending', attemptCount: 0, lastStatus: null, test: true });

  it('prints the queued delivery', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 202, body: { data: queued } });
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--output', 'json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(queued);
    expect(stderr).toContain(`tradepost webhooks explain ${queued.id}`);
    expect(asked(service)).toEqual([
      ['POST', `/v1/webhooks/${id}/test`, { event: 'order.created' }],
    ]);
  });

  it.each([
    ['delivered', { state: 'delivered', lastStatus: 204, attemptCount: 1 } as const, 0, ''],
    ['failed', { state: 'failed', lastStatus: 401, attemptCount: 1 } as const, 1, 'returned 401'],
  ])('waits with --wait until it is %s', async (_, fields, exitCode, said) => {
    const service = await BareService.start();
    let looks = 0;
    service.instead = ({ method }) => {
      if (method === 'POST') return { status: 202, body: { data: queued } };
      looks += 1;
      const data = looks < 2 ? aDeliveryRecord(queued) : aDeliveryRecord({ ...queued, ...fields });
      return { status: 200, body: { data } };
    };
    const result = await service.cli([...argv, '--wait', '--output', 'json']);
    expect(result.exitCode).toBe(exitCode);
    expect(JSON.parse(result.stdout)).toEqual({ ...queued, ...fields });
    expect(result.stderr).toContain(said);
    expect(looks).toBe(2);
  });

  it('stops waiting after its timeout', async () => {
    const service = await BareService.start();
    service.instead = ({ method }) =>
      method === 'POST'
        ? { status: 202, body: { data: queued } }
        : { status: 200, body: { data: aDeliveryRecord(queued) } };
    let now = 0;
    const result = await service.cli([...argv, '--wait', '--timeout', '1s', '--output', 'json'], {
      now: () => {
        now += 600;
        return now;
      },
    });
    expect(result.exitCode).toBe(1);
    expect(JSON.parse(result.stderr).error).toMatchObject({ code: 'delivery_failed' });
    expect(JSON.parse(result.stdout)).toEqual(queued);
  });

  it('prints what is known when it is interrupted while it waits', async () => {
    const service = await BareService.start();
    const interrupt = new AbortController();
    service.instead = ({ method }) =>
      method === 'POST'
        ? { status: 202, body: { data: queued } }
        : { status: 200, body: { data: aDeliveryRecord(queued) } };
    const result = await service.cli([...argv, '--wait', '--output', 'json'], {
      signal: interrupt.signal,
      wait: async () => interrupt.abort(),
    });
    expect(result.exitCode).toBe(130);
    expect(JSON.parse(result.stdout)).toEqual(queued);
    expect(result.stderr).toContain('The test event is still pending');
  });

  it.each([['0s'], ['30'], ['25h'], ['-1s'], ['1.5m']])('rejects --timeout %s', async (span) => {
    const service = await BareService.start();
    expect((await service.cli([...argv, '--wait', '--timeout', span])).exitCode).toBe(2);
    expect(service.seen).toEqual([]);
  });
});
