/**
 * The reference server, to run inside another program such as a test, a demo or an example.
 *
 * @example
 * import { createLog, openSqliteStore, startServer } from '@tradepost/server';
 * const server = await startServer({
 *   store: openSqliteStore(':memory:'),
 *   log: createLog('silent'),
 *   port: 0,
 *   host: '127.0.0.1',
 *   rateLimit: 6000,
 * });
 * console.log(server.url);
 * await server.close();
 */

export {
  type Clock,
  createIdGenerator,
  type IdGenerator,
  systemClock,
} from '@tradepost/domain/kernel/context';
export {
  insecureWebhookPolicy,
  strictWebhookPolicy,
  type WebhookPolicy,
} from '@tradepost/domain/webhooks/webhook-policy';
export {
  type SeededAccount,
  type SeedResult,
  seed,
} from './commands/seed';
export { createLog, type LogLevel } from './kernel/log';
export { type RunningServer, type ServerOptions, startServer } from './runtime/server';
export { generateSecretKey, parseSecretKeys, type SecretKey } from './stores/encryption';
export { openStore, type StoreOptions } from './stores/open-store';
export { openSqliteStore } from './stores/sqlite/sqlite-store';
export type { Store } from './stores/store';
