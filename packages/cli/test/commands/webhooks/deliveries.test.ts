import { describe, expect, it } from 'vitest';
import { BareService } from '../../helpers/minimal-service';
import { aDelivery } from '../../helpers/webhook-builders';

const now = () => Date.parse('2026-11-21T12:00:00Z');

describe('webhooks deliveries', () => {
  it('sends each filter, and shows why the last attempt failed', async () => {
    const service = await BareService.start();
    const rejected = aDelivery({ lastStatus: null, lastError: 'connection_refused' });
    const waiting = aDelivery({ id: 'dlv_2', state: 'pending', lastStatus: null, attemptCount: 0 });
    service.instead = () => ({
      status: 200,
      body: { data: [rejected, waiting], nextCursor: null },
    });
    const { exitCode, stdout } = await service.cli(
      [
        ...['webhooks', 'deliveries', '--webhook', 'whk_1', '--event', 'order.created'],
        ...['--state', 'failed', '--since', '6h', '--status-class', 'none', '--limit', '7'],
        ...['--order', 'ord_1', '--event-id', 'evt_1', '--until', '1h'],
      ],
      { now },
    );
    expect(exitCode).toBe(0);
    expect(service.seen[0]?.query).toEqual({
      webhookId: 'whk_1',
      event: 'order.created',
      state: 'failed',
      since: '2026-11-21T06:00:00.000Z',
      until: '2026-11-21T11:00:00.000Z',
      orderId: 'ord_1',
      eventId: 'evt_1',
      statusClass: 'none',
      limit: '7',
    });
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'STATE', 'LAST', 'EVENT', 'ATTEMPTS', 'CREATED', 'WEBHOOK'],
      [
        rejected.id,
        'failed',
        'connection_refused',
        'order.created',
        '11',
        rejected.createdAt,
        rejected.webhookId,
      ],
      ['dlv_2', 'pending', '-', 'order.created', '0', waiting.createdAt, waiting.webhookId],
      [''],
    ]);
  });

  it('keeps its columns when the first timeout is on a later page', async () => {
    const service = await BareService.start();
    service.instead = ({ query: { cursor } }) => {
      const last = cursor ? { lastStatus: null, lastError: 'timeout' } : { lastStatus: 503 };
      return { status: 200, body: { data: [aDelivery(last)], nextCursor: cursor ? null : 'n' } };
    };
    const { stdout } = await service.cli(['webhooks', 'deliveries', '--all']);
    const starts = stdout
      .trim()
      .split('\n')
      .map((line) => line.search(/EVENT|order\.created/));
    expect(new Set(starts).size).toBe(1);
  });

  it('reports that more exist, and fails then with --fail-if-truncated', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 200, body: { data: [aDelivery()], nextCursor: 'more' } });
    const argv = ['webhooks', 'deliveries', '--limit', '1'];
    expect(await service.cli(argv)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('more exist'),
    });
    expect((await service.cli([...argv, '--fail-if-truncated'])).exitCode).toBe(8);
  });

  it.each([
    [['--webhook', 'dlv_1']],
    [['--order', 'dlv_1']],
    [['--event-id', 'ord_1']],
    [['--since', '1h', '--until', '2h']],
    [['--state', 'lost']],
    [['--status-class', '6xx']],
    [['--event', 'order.deleted']],
    [['--since', 'tomorrow']],
  ])('rejects %j before anything is sent', async (filter) => {
    const service = await BareService.start();
    const result = await service.cli(['webhooks', 'deliveries', ...filter]);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(service.seen).toEqual([]);
  });
});
