import { attemptErrors } from '@tradepost/contract';
import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { anAttempt, noon } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { attemptLabels } from '../../src/metrics/engine-metrics';
import { inTurn, Receiver, respond } from '../helpers/receiver';
import { MeasuredEngine } from './measured-engine';

const minute = 60_000;

let measured: MeasuredEngine;

beforeEach(async () => {
  measured = await MeasuredEngine.open();
});

/** Registers a receiver for the orders of the buyer. */
async function subscribe(url: string, status: 'active' | 'paused' = 'active') {
  const { trade } = measured;
  return trade.subscribe(trade.buyer, ['order.created'], { url, status });
}

describe('metrics of deliveries', () => {
  test('start at zero, so that a first failure is an increase', async () => {
    expect(await measured.filterSamples('tradepost_deliveries_total')).toEqual({
      '{outcome="delivered"}': 0,
      '{outcome="failed"}': 0,
    });
    expect(await measured.filterSamples('tradepost_delivery_queue')).toEqual({
      _depth: 0,
      _oldest_due_seconds: 0,
    });
  });

  test('count each attempt by its result, and each delivery when it ends', async () => {
    const good = await Receiver.open(respond(204));
    const bad = await Receiver.open(inTurn(respond(503), respond(404), respond(200)));
    await subscribe(good.origin);
    await subscribe(bad.origin);
    await subscribe('http://127.0.0.1:1/closed');
    await measured.place(3);
    expect(await measured.filterSamples('tradepost_delivery_attempts_total')).toEqual({
      '{outcome="acknowledged",status_class="2xx",error="none"}': 1,
      '{outcome="rejected",status_class="5xx",error="none"}': 1,
      '{outcome="error",status_class="none",error="connection_refused"}': 1,
    });
    expect(await measured.filterSamples('tradepost_deliveries_total')).toEqual({
      '{outcome="delivered"}': 1,
      '{outcome="failed"}': 0,
    });
    expect(await measured.filterSamples('tradepost_delivery_queue_depth')).toEqual({ '': 2 });

    await measured.clock.advance(6_000);
    for (let count = 0; count < 2; count += 1) await measured.logs.next('attempt');
    await measured.clock.advance(20_000);
    for (let count = 0; count < 2; count += 1) await measured.logs.next('attempt');
    expect(await measured.filterSamples('tradepost_delivery_attempts_total')).toEqual({
      '{outcome="acknowledged",status_class="2xx",error="none"}': 2,
      '{outcome="rejected",status_class="4xx",error="none"}': 1,
      '{outcome="rejected",status_class="5xx",error="none"}': 1,
      '{outcome="error",status_class="none",error="connection_refused"}': 3,
    });
    const samples = await measured.scrape();
    expect(samples.get('tradepost_deliveries_total{outcome="delivered"}')).toBe(2);
    expect(samples.get('tradepost_delivery_attempt_duration_seconds_count')).toBe(7);
    expect(samples.get('tradepost_delivery_queue_depth')).toBe(1);
  });

  test('measure the lag of first attempts only, in seconds', async () => {
    const receiver = await Receiver.open(inTurn(respond(500), respond(200)));
    await subscribe(receiver.origin);
    // It happened some time ago, when no worker ran.
    await measured.trade.place({ now: noon - 20_000, quantity: 1 });
    await measured.logs.next('attempt');
    await measured.clock.advance(6_000);
    await measured.logs.next('attempt');
    const lag = await measured.filterSamples('tradepost_delivery_lag_seconds');
    expect(lag).toMatchObject({ _count: 1, _sum: 20, '_bucket{le="15"}': 0 });
    expect(lag).toMatchObject({ '_bucket{le="60"}': 1, '_bucket{le="+Inf"}': 1 });
  });

  test('count deliveries that expire without another attempt as failed', async () => {
    const receiver = await Receiver.open(respond(500));
    await subscribe(receiver.origin);
    await measured.place(1);
    measured.clock.set(noon + retryWindowMs + 1);
    await measured.clock.advance(minute);
    await measured.logs.next('delivery failed: its deadline passed before the next attempt');
    expect(await measured.filterSamples('tradepost_deliveries_total')).toMatchObject({
      '{outcome="failed"}': 1,
    });
    expect(receiver.count).toBe(1);
  });

  test('count as failed the deliveries of a paused endpoint whose deadline has passed', async () => {
    await subscribe('https://receiver.example', 'paused');
    await measured.place(0);
    await measured.place(0);
    expect(await measured.filterSamples('tradepost_delivery_queue')).toEqual({
      _depth: 2,
      _oldest_due_seconds: 0,
    });
    measured.clock.set(noon + retryWindowMs + 1);
    await measured.clock.advance(minute + 100);
    expect(await measured.logs.next('housekeeping done')).toMatchObject({ overdue: 2 });
    expect(await measured.filterSamples('tradepost_deliveries_total')).toMatchObject({
      '{outcome="failed"}': 2,
    });
    expect(await measured.filterSamples('tradepost_delivery_queue_depth')).toEqual({ '': 0 });
  });

  test('count webhooks that were disabled', async () => {
    const { clock, logs } = measured;
    expect(await measured.filterSamples('tradepost_webhooks_disabled')).toEqual({ _total: 0 });
    await subscribe((await Receiver.open(respond(500))).origin);
    await measured.place(1);
    for (const wait of [minute, 2 * minute, 10 * minute, 4 * 24 * 60 * minute]) {
      clock.set(noon + wait);
      await clock.advance(1_000);
      await measured.place(0);
      await logs.next('attempt');
    }
    await clock.advance(2 * minute);
    expect(await measured.filterSamples('tradepost_webhooks_disabled')).toEqual({ _total: 1 });
  });

  test('show what is in flight, and for how long other due deliveries have waited', async () => {
    const pending: (() => void)[] = [];
    const slow = await Receiver.open((response) => pending.push(() => response.end()));
    await subscribe(slow.origin);
    // An endpoint starts with four attempts at once.
    for (let count = 0; count < 6; count += 1) await measured.place(0);
    for (let count = 0; count < 4; count += 1) await slow.next();
    measured.clock.set(noon + 7_500);
    const samples = await measured.scrape();
    expect(samples.get('tradepost_deliveries_in_flight')).toBe(4);
    expect(samples.get('tradepost_delivery_queue_depth')).toBe(6);
    expect(samples.get('tradepost_delivery_queue_oldest_due_seconds')).toBe(7.5);
    for (const finish of pending.splice(0)) finish();
    for (let count = 0; count < 2; count += 1) await slow.next();
    for (const finish of pending) finish();
    for (let count = 0; count < 6; count += 1) await measured.logs.next('attempt');
    expect(await measured.filterSamples('tradepost_deliveries_in_flight')).toEqual({ '': 0 });
  });
});

describe('the labels of an attempt', () => {
  test('come from a closed list, for any response and any system error', () => {
    const names = Object.keys(attemptErrors);
    const error = fc.oneof(
      fc.string(),
      fc.constantFrom(...names),
      fc
        .tuple(fc.constantFrom(...names), fc.string())
        .map(([name, detail]) => `${name} (${detail})`),
      fc.constantFrom('constructor', '__proto__', 'toString'),
      fc.constant(null),
    );
    const status = fc.option(fc.integer({ min: 0, max: 9_999 }));
    fc.assert(
      fc.property(error, status, (attemptError, responseStatus) => {
        const labels = attemptLabels(anAttempt({ error: attemptError, status: responseStatus }));
        expect(['acknowledged', 'rejected', 'error']).toContain(labels.outcome);
        expect(['2xx', '3xx', '4xx', '5xx', 'other', 'none']).toContain(labels.status_class);
        expect([...names, 'none']).toContain(labels.error);
      }),
    );
  });

  test('name an error without its detail', () => {
    const attempt = anAttempt({ status: null, error: 'tls_failed (CERT_HAS_EXPIRED)' });
    expect(attemptLabels(attempt)).toEqual({
      outcome: 'error',
      status_class: 'none',
      error: 'tls_failed',
    });
  });

  test('include both the status and the error of a truncated response', () => {
    const attempt = anAttempt({ status: 200, error: 'response_truncated' });
    expect(attemptLabels(attempt)).toEqual({
      outcome: 'acknowledged',
      status_class: '2xx',
      error: 'response_truncated',
    });
  });
});
