import { describe, expect, it } from 'vitest';
import { BareService } from '../../helpers/minimal-service';

const url = 'https://receiver.example/tradepost';

describe('webhooks register', () => {
  it('prints the webhook with its secret, and notes on stderr that it is shown once', async () => {
    const service = await BareService.start();
    const events = 'order.created, order.status_changed,order.created';
    const argv = ['webhooks', 'register', '--url', url, '--events', events, '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      id: 'whk_1',
      url,
      events: ['order.created', 'order.status_changed'],
      secret: 'whsec_c2VjcmV0',
    });
    expect(stderr).toBe('The secret is not shown again. Save it where your receiver reads it.\n');
    expect(service.seen[0]?.body).toEqual({
      url,
      events: ['order.created', 'order.status_changed'],
    });
    expect(service.seen[0]?.headers['idempotency-key']).toMatch(/./);
  });

  it('shows the secret in a table, too', async () => {
    const service = await BareService.start();
    const argv = ['webhooks', 'register', '--url', url, '--events', 'task.completed'];
    expect((await service.cli(argv)).stdout).toBe(
      [
        'id      whk_1',
        `url     ${url}`,
        'events  task.completed',
        'secret  whsec_c2VjcmV0',
        '',
      ].join('\n'),
    );
  });

  it('rejects an unknown event type before anything is sent, and names the valid ones', async () => {
    const service = await BareService.start();
    const argv = ['webhooks', 'register', '--url', url, '--events', 'order.created,order.deleted'];
    expect(await service.cli(argv)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: [
        "error: Option '--events <types>' argument 'order.created,order.deleted' is invalid. Invalid event type 'order.deleted'. Use: order.created, order.status_changed, task.approval_requested, task.completed, listing.availability_low, webhook.disabled.",
        'hint: See `tradepost webhooks register --help`.',
        '',
      ].join('\n'),
    });
    expect(service.seen).toEqual([]);
  });

  it.each(['receiver.example', 'ftp://receiver.example', ''])('rejects the URL %j', async (bad) => {
    const service = await BareService.start();
    const argv = ['webhooks', 'register', '--url', bad, '--events', 'task.completed'];
    expect((await service.cli(argv)).exitCode).toBe(2);
    expect(service.seen).toEqual([]);
  });
});
