import { createLog, insecureWebhookPolicy, openSqliteStore, startServer } from '@tradepost/server';

// A program that embeds the server. It validates each response against the schemas of the contract, which check more than the
// OpenAPI document says, and permits webhooks to any URL.
const [database = ':memory:'] = process.argv.slice(2);
const server = await startServer({
  store: openSqliteStore(database),
  log: createLog('info'),
  port: 0,
  host: '127.0.0.1',
  rateLimit: 100_000_000,
  validateResponses: true,
  webhookPolicy: insecureWebhookPolicy,
});
console.log(`listening on ${server.url}`);
process.once('SIGTERM', () => server.close());
