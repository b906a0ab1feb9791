import { basename } from 'node:path';
import { accountOf, listingOf, type SeedResult, seed } from '../../local-service/seed-world';
import { startServer } from '../../local-service/start-server';
import { shorten } from '../narrate';
import type { Stage } from '../stage';

type Account = SeedResult['accounts'][number];

/** The running service and who is in it. */
export interface Shop {
  url: string;
  buyer: Account;
  seller: Account;
  /** What the buyer will order. */
  listing: SeedResult['listings'][number];
}

/** Seeds the database, starts the server on it and stops it in the end. */
export async function openShop(
  { narrator, signal, abandon, atEnd }: Stage,
  database: string,
  onLogLine: (line: string) => void,
): Promise<Shop> {
  const shownDatabase = basename(database);
  narrator.step('Make a small world and start the server');
  narrator.command(`tradepost-server seed --json --database ${shownDatabase}`);
  const world = await seed(database, signal);
  const buyer = accountOf(world, 'buyer');
  const seller = accountOf(world, 'seller');
  const listing = listingOf(world);
  narrator.fields({
    buyer: `${buyer.name}, API key ${shorten(buyer.apiKey)}`,
    seller: `${seller.name}, API key ${shorten(seller.apiKey)}`,
    listing: `${listing.name}, ${listing.availableQuantity} available`,
  });

  narrator.command(
    `tradepost-server start --port 0 --database ${shownDatabase} --allow-insecure-webhooks`,
  );
  const env = { TRADEPOST_LOG_LEVEL: 'error' };
  const server = await startServer({ database, port: 0, env, onLogLine, signal });
  let wanted = true;
  atEnd(() => {
    wanted = false;
    return server.stop();
  });
  server.ended.then((how) => {
    if (wanted) abandon(new Error(`The server ended before the demo did (${how}).`));
  }, abandon);
  narrator.result(`listening on ${server.url}`);
  narrator.say('The flag lets it deliver to this machine and accept a certificate made on it.');
  return { url: server.url, buyer, seller, listing };
}
