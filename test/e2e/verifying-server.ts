import { createLog, openSqliteStore, startServer, strictWebhookPolicy } from '@tradepost/server';

// A program that embeds the server. It permits webhooks to receivers on this machine, with or without TLS.
// The certificates of receivers must be valid.
const [database = ':memory:'] = process.argv.slice(2);
const server = await startServer({
  store: openSqliteStore(database),
  log: createLog('debug'),
  port: 0,
  host: '127.0.0.1',
  rateLimit: 100_000,
  webhookPolicy: { ...strictWebhookPolicy, publicAddressesOnly: false, requireHttps: false },
});
console.log(`listening on ${server.url}`);
process.once('SIGTERM', () => server.close());
