import { strictWebhookPolicy, type WebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { Health } from '../http/health';
import { resolveRetention } from '../retention/retention';
import { loadTracer } from '../tracing/load-tracer';
import { type ApiOptions, shutdownTimeoutMs, startApi } from './api';
import { type EngineOptions, startEngine } from './engine';

/** Options of a server. Closing the server closes the store. */
export interface ServerOptions
  extends Omit<ApiOptions, 'webhookPolicy' | 'health'>,
    Omit<EngineOptions, 'webhookPolicy' | 'tracer'> {
  /**
   * Which webhook URLs are allowed.
   * @default strictWebhookPolicy
   */
  webhookPolicy?: WebhookPolicy;
}

/** A running server: API and delivery engine. */
export interface RunningServer {
  /** The URL, such as `http://127.0.0.1:4010`. */
  url: string;
  /** The TCP port that it listens on, also when 0 was requested. */
  port: number;
  /** Finishes requests and attempts in flight, and closes the store. */
  close(): Promise<void>;
}

/**
 * Starts a server whose API and delivery engine share this thread. Resolves when it accepts requests. Rejects if it cannot
 * listen, or with a RangeError if the retention options are invalid.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const resolved = {
    ...options,
    // Throws before anything is started that would have to be stopped.
    retention: resolveRetention(options.retention),
    webhookPolicy: options.webhookPolicy ?? strictWebhookPolicy,
  };
  const { store, clock } = options;
  const health = new Health({ store, ...(clock && { clock }) });
  const api = await startApi({ ...resolved, health });
  const engine = startEngine({ ...resolved, tracer: await loadTracer() });
  health.addEngine(engine);

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    await Promise.all([api.stop(shutdownTimeoutMs), engine.stop(shutdownTimeoutMs)]);
    await options.store.close();
  }
  return {
    url: api.url,
    port: api.port,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}
