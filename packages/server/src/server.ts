import { type ApiOptions, serveApi } from './api';
import { type EngineOptions, startEngine } from './engine';
import { resolveRetention } from './retention/retention';
import { strictWebhookPolicy, type WebhookPolicy } from './webhooks/webhook-policy';

/** How long a stop waits for what is under way, in milliseconds. */
export const stopPatience = 5_000;

/** How a server is to run. It closes the store when it is closed. */
export interface ServerOptions
  extends Omit<ApiOptions, 'webhookPolicy'>,
    Omit<EngineOptions, 'webhookPolicy'> {
  /** Which endpoints deliveries may go to; the strict policy unless told. */
  webhookPolicy?: WebhookPolicy;
}

/** A server that accepts requests and makes deliveries. */
export interface RunningServer {
  /** Where it listens, such as `http://127.0.0.1:4010`. */
  url: string;
  port: number;
  /** Answers what has been asked, ends what is under way, and closes the store. */
  close(): Promise<void>;
}

/**
 * Starts a server whose API and delivery engine share this thread. The promise fulfils once it accepts
 * requests; it rejects when it cannot listen, or with a RangeError when the retention makes no sense.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const whole = {
    ...options,
    // Before anything is started that would have to be stopped.
    retention: resolveRetention(options.retention),
    webhookPolicy: options.webhookPolicy ?? strictWebhookPolicy,
  };
  const api = await serveApi(whole);
  const engine = startEngine(whole);

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    await Promise.all([api.stop(stopPatience), engine.stop(stopPatience)]);
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
