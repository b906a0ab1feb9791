import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { insecureWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { onTestFinished } from 'vitest';
import { Health } from '../../src/http/health';
import { createEngineMetrics } from '../../src/metrics/engine-metrics';
import { serveMetrics } from '../../src/metrics/metrics-server';
import { type Engine, startEngine } from '../../src/runtime/engine';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../src/stores/store';
import { CapturedLog } from '../helpers/captured-log';
import { expectNoSockets } from '../helpers/leaks';
import { tempFile } from '../helpers/temp-folder';
import { Trade } from '../helpers/trade';
import { findSamples, type Samples, scrape } from './scrape';

/** An engine with a metrics server, a store in a file, data for trade and a fake clock. */
export class MeasuredEngine {
  readonly clock = new FakeClock();
  readonly logs = new CapturedLog();

  private constructor(
    readonly store: Store,
    readonly trade: Trade,
  ) {}

  /** The URL of the metrics. */
  url = '';

  /** Starts an engine that stops with the running test. */
  static async open(): Promise<MeasuredEngine> {
    onTestFinished(expectNoSockets);
    const store = openSqliteStore(tempFile());
    const measured = new MeasuredEngine(store, await Trade.open(store));
    const metrics = createEngineMetrics(store.deliveries, measured.clock);
    const engine: Engine = startEngine({
      store,
      log: measured.logs.log,
      webhookPolicy: insecureWebhookPolicy,
      clock: measured.clock,
      random: () => 0.5,
      metrics,
    });
    const server = await serveMetrics({
      port: 0,
      host: '127.0.0.1',
      metrics: [metrics],
      health: new Health({ store }),
      log: measured.logs.log,
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
    for (let count = 0; count < attempts; count += 1) await this.logs.next('attempt');
  }

  /** Reads the metrics over HTTP. */
  scrape(): Promise<Samples> {
    return scrape(this.url);
  }

  /** Reads the samples whose names start with a prefix, over HTTP. */
  async filterSamples(prefix: string): Promise<Record<string, number>> {
    return findSamples(await this.scrape(), prefix);
  }
}
