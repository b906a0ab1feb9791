import type { OrderTimeline, TimelineDelivery } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { BareService } from '../../helpers/minimal-service';

const orderId = 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH';
const argv = ['orders', 'timeline', orderId];

const delivery: TimelineDelivery = {
  id: 'dlv_1',
  webhookId: 'whk_1',
  eventId: 'evt_2',
  event: 'order.status_changed',
  orderId,
  state: 'pending',
  test: false,
  attemptCount: 1,
  lastStatus: 500,
  lastError: null,
  nextAttemptAt: '2026-11-21T09:35:00.000Z',
  deadlineAt: '2026-11-22T09:31:00.000Z',
  createdAt: '2026-11-21T09:31:00.000Z',
  finishedAt: null,
  attempts: [
    { number: 1, startedAt: '2026-11-21T09:31:01.000Z', durationMs: 42, status: 500, error: null },
  ],
};

const timeline: OrderTimeline = {
  entries: [
    {
      change: { from: null, to: 'pending', reason: null, actor: null },
      event: { id: 'evt_1', type: 'order.created', createdAt: '2026-11-21T09:30:00.000Z' },
      notification: null,
      deliveries: [],
    },
    {
      change: {
        from: 'pending',
        to: 'confirmed',
        reason: 'Paid.\u001b[31m',
        actor: { accountId: 'usr_2', kind: 'seller' },
      },
      event: { id: 'evt_2', type: 'order.status_changed', createdAt: '2026-11-21T09:31:00.000Z' },
      notification: { id: 'ntf_2', read: false },
      deliveries: [delivery],
    },
    {
      change: null,
      event: { id: 'evt_3', type: 'task.completed', createdAt: '2026-11-21T09:31:00.000Z' },
      notification: { id: 'ntf_3', read: true },
      deliveries: [],
    },
  ],
  prunedBefore: null,
};

async function start(data: OrderTimeline = timeline): Promise<BareService> {
  const service = await BareService.start();
  service.instead = ({ path }) =>
    path === `/v1/orders/${orderId}/timeline` ? { status: 200, body: { data } } : undefined;
  return service;
}

describe('orders timeline', () => {
  it('prints a trail from each change to the attempts, in local times on a terminal', async () => {
    const service = await start();
    const env = { TZ: 'Europe/Berlin' };
    const { stdout, stderr } = await service.cli(argv, { screen: { columns: 80 }, env });
    expect(stderr).toBe('');
    expect(stdout).toBe(
      [
        '2026-11-21 10:30:00  created, pending',
        '  event evt_1',
        '2026-11-21 10:31:00  pending → confirmed by seller usr_2',
        '  reason: Paid.\\u001b[31m',
        '  event evt_2',
        '  notification ntf_2, unread',
        '  delivery dlv_1 to whk_1: pending, 1 attempt, next attempt 2026-11-21 10:35:00',
        '    1. 2026-11-21 10:31:01  500, 42 ms',
        '2026-11-21 10:31:00  task.completed',
        '  event evt_3',
        '  notification ntf_3, read',
        '',
      ].join('\n'),
    );
    expect((await service.cli(argv)).stdout).toContain('1. 2026-11-21T09:31:01.000Z  500, 42 ms');
  });

  it('is in JSON what the service sends', async () => {
    const service = await start();
    const { stdout } = await service.cli([...argv, '--output', 'json']);
    expect(JSON.parse(stdout)).toEqual(timeline);
  });

  it('says from when on events are stored, and that there are none', async () => {
    const pruned = await start({ entries: [], prunedBefore: '2026-11-21T00:00:00.000Z' });
    expect((await pruned.cli(argv)).stderr).toBe(
      'Events from before 2026-11-21T00:00:00.000Z may no longer be stored.\n',
    );
    const none = await start({ entries: [], prunedBefore: null });
    expect((await none.cli(argv)).stderr).toBe('No events found.\n');
  });

  it('fails with a service without timelines, and says so', async () => {
    const service = await BareService.start();
    const { exitCode, stderr } = await service.cli(argv);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('needs the extension orders.timeline');
  });
});
