/**
 * The reference server, to run inside of another program: a test, a demo, an example.
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
export { type Clock, systemClock } from './clock';
export { createIds, type NewId } from './ids';
export { createLog, type LogLevel } from './log';
export { type SeededAccount, type SeededWorld, seedWorld } from './seed-world';
export { type RunningServer, type ServerOptions, startServer } from './server';
export type { Store } from './store';
export { openSqliteStore } from './stores/sqlite/sqlite-store';
export {
  insecureWebhookPolicy,
  strictWebhookPolicy,
  type WebhookPolicy,
} from './webhooks/webhook-policy';
