import { findAccount, firstListing, type SeedResult } from '../local-service/seed';

/** What `npm start` has started. */
export interface Started {
  /** Base URL of the server. */
  url: string;
  data: SeedResult;
  /** The file with the API keys, as a person names it. */
  seedFile: string;
  /** Signs in to the console as the seller, once; null if no link could be created. */
  signInLink: string | null;
}

/** Returns the text that `npm start` prints: accounts, commands to paste, and how to see it all in a browser. */
export function guide({ url, data, seedFile, signInLink }: Started): string {
  const buyer = findAccount(data, 'buyer');
  const seller = findAccount(data, 'seller');
  const listing = firstListing(data);
  const order = `{"listingId":"${listing.id}","quantity":2}`;
  const accounts = data.accounts.map(
    ({ kind, name, apiKey }) => `  ${kind.padEnd(6)}  ${name.padEnd(22)}  ${apiKey}`,
  );

  return `
Tradepost is running at ${url}. Ctrl-C stops it; the data is kept for the next start.

API reference, for a browser: ${url}/docs

Accounts and their API keys (also in ${seedFile})
${accounts.join('\n')}

With curl: list the buyer's orders, then create one
  curl -s '${url}/v1/orders?status=pending' -H 'Authorization: Bearer ${buyer.apiKey}'
  curl -s ${url}/v1/orders -H 'Authorization: Bearer ${buyer.apiKey}' -H 'Content-Type: application/json' -d '${order}'

With the CLI: confirm pending orders, as the seller
  alias tradepost='node packages/cli/bin/tradepost.cjs'
  export TRADEPOST_BASE_URL=${url} TRADEPOST_API_KEY=${seller.apiKey}
  tradepost orders list --status pending
  tradepost notifications list --unread
  sh examples/confirm-pending.sh

With the SDK: save this as examples/try.mjs and run it with node examples/try.mjs
  import { Tradepost } from '@tradepost/sdk';
  const tradepost = new Tradepost({ baseUrl: '${url}', apiKey: '${buyer.apiKey}' });
  const order = await tradepost.orders.create({ listingId: '${listing.id}', quantity: 2 });
  console.log(order);

Console, for a browser: ${signInLink === null ? 'see what happens' : 'this link signs in as the seller, once, within 60 seconds'}
  ${signInLink ?? `${url}/console`}
  Another link, after the first two lines for the CLI: tradepost open

More examples: examples/README.md
`;
}
