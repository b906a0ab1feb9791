import { createLog, insecureWebhookPolicy, openSqliteStore, startServer } from '@tradepost/server';
import { serveParent } from './serve-parent';

const operations = {
  /** Starts a server whose engine shares the API's thread, and returns its URL. */
  async start(file: string): Promise<string> {
    const server = await startServer({
      store: openSqliteStore(file),
      log: createLog('info'),
      port: 0,
      host: '127.0.0.1',
      rateLimit: 100_000_000,
      webhookPolicy: insecureWebhookPolicy,
    });
    return server.url;
  },
};

/** The operations of this process. */
export type InThreadServerOperations = typeof operations;

serveParent(operations);
