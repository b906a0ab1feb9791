import { createLog, insecureWebhookPolicy, openSqliteStore, startServer } from '@tradepost/server';
import type { CommitOptions } from './commit-options';
import { serveParent } from './serve-parent';

const operations = {
  /** Starts a server whose engine shares the API's thread, and returns its URL. */
  async start({ file, commits }: { file: string; commits: CommitOptions }): Promise<string> {
    const server = await startServer({
      store: openSqliteStore(file, commits),
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
