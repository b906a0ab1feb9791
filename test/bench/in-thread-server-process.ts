import { createLog, insecureWebhookPolicy, openSqliteStore, startServer } from '@tradepost/server';
import { answerParent } from './answer-parent';
import type { CommitOptions } from './commit-options';

const verbs = {
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

/** What can be asked of it. */
export type InThreadServerVerbs = typeof verbs;

answerParent(verbs);
