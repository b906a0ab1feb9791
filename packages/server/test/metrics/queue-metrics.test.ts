import { noon } from '@tradepost/domain/test/builders';
import { FakeClock, settle } from '@tradepost/domain/test/fake-clock';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createQueueMetrics } from '../../src/metrics/engine-metrics';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../helpers/temp-folder';
import { Trade } from '../helpers/trade';
import { MeasuredEngine } from './measured-engine';
import { findSamples, readSamples } from './scrape';

const gauges = [
  'tradepost_delivery_queue_depth',
  'tradepost_deliveries_in_flight',
  'tradepost_delivery_queue_oldest_due_seconds',
];

describe('the gauges of the queues', () => {
  test('are left out while the store is unavailable, and other metrics are not', async () => {
    const measured = await MeasuredEngine.open();
    await measured.store.close();
    const samples = await measured.scrape();
    for (const gauge of gauges) expect(samples.has(gauge)).toBe(false);
    expect(samples.get('tradepost_deliveries_total{outcome="failed"}')).toBe(0);
  });

  test('are left out when the store times out, and are back when it responds again', async () => {
    const clock = new FakeClock();
    let status = new Promise<{ depth: number; inFlight: number; oldestDueAt: null }>(() => {});
    let reads = 0;
    const metrics = createQueueMetrics(
      {
        queueStatus: () => {
          reads += 1;
          return status;
        },
      },
      clock,
    );
    let text: string | undefined;
    const reading = metrics.read().then((read) => {
      text = read;
    });
    await clock.advance(1_999);
    expect(text).toBeUndefined();
    await clock.advance(1);
    await reading;
    expect(readSamples(text ?? '').size).toBe(0);
    expect(reads).toBe(1);

    status = Promise.resolve({ depth: 3, inFlight: 1, oldestDueAt: null });
    const samples = readSamples(await metrics.read());
    expect(gauges.map((gauge) => samples.get(gauge))).toEqual([3, 1, 0]);
    expect(clock.pendingTimers).toBe(0);
  });

  test('are read once for all of them, also by concurrent scrapes', async () => {
    const clock = new FakeClock();
    let reads = 0;
    const metrics = createQueueMetrics(
      {
        queueStatus: async () => {
          reads += 1;
          return { depth: 1, inFlight: 0, oldestDueAt: noon - 1_000 };
        },
      },
      clock,
    );
    const texts = await Promise.all([metrics.read(), metrics.read()]);
    for (const text of texts) {
      expect(findSamples(readSamples(text), 'tradepost_delivery_queue')).toEqual({
        _depth: 1,
        _oldest_due_seconds: 1,
      });
    }
    expect(reads).toBe(1);
    await settle();
    await metrics.read();
    expect(reads).toBe(2);
  });

  test('show what other processes queued', async () => {
    const file = tempFile();
    const own = openSqliteStore(file);
    const other = openSqliteStore(file);
    onTestFinished(async () => {
      await own.close();
      await other.close();
    });
    const clock = new FakeClock();
    const metrics = createQueueMetrics(own.deliveries, clock);
    const trade = await Trade.open(other);
    await trade.subscribe(trade.buyer, ['order.created']);
    await trade.place();
    clock.set(noon + 2_000);
    expect(findSamples(readSamples(await metrics.read()), 'tradepost_delivery_queue')).toEqual({
      _depth: 1,
      _oldest_due_seconds: 2,
    });
  });
});
