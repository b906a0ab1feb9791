import { onTestFinished } from 'vitest';
import { type Engine, startEngine } from '../../src/engine';
import { createEngineMetrics } from '../../src/metrics/engine-metrics';
import { serveMetrics } from '../../src/metrics/metrics-server';
import type { Store } from '../../src/store';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { insecureWebhookPolicy } from '../../src/webhooks/webhook-policy';
import { FakeClock } from '../fake-clock';
import { expectNoSockets } from '../leaks';
import { LogBook } from '../log-book';
import { Trade } from '../stores/trade';
import { tempFile } from '../temp-folder';
import { type Samples, samplesOf, scrape } from './scrape';

/** An engine that counts, with its metrics served, a store in a file and trade in it, on a clock that stands still. */
export class MeasuredEngine {
  readonly clock = new FakeClock();
  readonly book = new LogBook();

  private constructor(
    readonly store: Store,
    readonly trade: Trade,
  ) {}

  /** Where the metrics are. */
  url = '';

  /** Opens one that lasts as long as the running test. */
  static async open(): Promise<MeasuredEngine> {
    onTestFinished(expectNoSockets);
    const store = openSqliteStore(tempFile());
    const measured = new MeasuredEngine(store, await Trade.open(store));
    const metrics = createEngineMetrics(store.deliveries, measured.clock);
    const engine: Engine = startEngine({
      store,
      log: measured.book.log,
      webhookPolicy: insecureWebhookPolicy,
      clock: measured.clock,
      random: () => 0.5,
      metrics,
    });
    const server = await serveMetrics({
      port: 0,
      host: '127.0.0.1',
      metrics: [metrics],
      log: measured.book.log,
    });
    measured.url = server.url;
    onTestFinished(async () => {
      await engine.stop(1);
      await server.stop();
      await store.close();
    });
    return measured;
  }

  /** Places an order now, and waits until this many attempts were recorded. */
  async place(attempts: number): Promise<void> {
    await this.trade.place({ now: this.clock.now(), quantity: 1 });
    for (let count = 0; count < attempts; count += 1) await this.book.next('attempt');
  }

  /** Reads the metrics over HTTP. */
  scrape(): Promise<Samples> {
    return scrape(this.url);
  }

  /** The samples whose names begin like this, read over HTTP. */
  async samplesOf(prefix: string): Promise<Record<string, number>> {
    return samplesOf(await this.scrape(), prefix);
  }
}
