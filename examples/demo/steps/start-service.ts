import { basename } from 'node:path';
import { findAccount, firstListing, type SeedResult, seed } from '../../local-service/seed';
import { startServer } from '../../local-service/start-server';
import type { DemoContext } from '../context';
import { shorten } from '../narrator';

type Account = SeedResult['accounts'][number];

/** The running service, and the demo data that the steps use. */
export interface DemoService {
  url: string;
  buyer: Account;
  seller: Account;
  /** What the buyer orders. */
  listing: SeedResult['listings'][number];
}

/** Seeds the database, starts the server on it, and stops it when the demo ends. */
export async function startService(
  { narrator, signal, abort, onCleanup }: DemoContext,
  database: string,
  onLogLine: (line: string) => void,
): Promise<DemoService> {
  const databaseName = basename(database);
  narrator.step('Create demo data and start the server');
  narrator.command(`tradepost-server seed --json --database ${databaseName}`);
  const data = await seed(database, signal);
  const buyer = findAccount(data, 'buyer');
  const seller = findAccount(data, 'seller');
  const listing = firstListing(data);
  narrator.fields({
    buyer: `${buyer.name}, API key ${shorten(buyer.apiKey)}`,
    seller: `${seller.name}, API key ${shorten(seller.apiKey)}`,
    listing: `${listing.title}, ${listing.availableQuantity} available`,
  });

  narrator.command(
    `tradepost-server start --port 0 --database ${databaseName} --allow-insecure-webhooks`,
  );
  const env = { TRADEPOST_LOG_LEVEL: 'error' };
  const server = await startServer({ database, port: 0, env, onLogLine, signal });
  let stopping = false;
  onCleanup(() => {
    stopping = true;
    return server.stop();
  });
  server.ended.then((ending) => {
    if (!stopping) abort(new Error(`The server exited before the demo ended (${ending}).`));
  }, abort);
  narrator.result(`listening on ${server.url}`);
  narrator.say(
    '--allow-insecure-webhooks permits delivery to this machine and self-signed certificates.',
  );
  return { url: server.url, buyer, seller, listing };
}
