import { accountOf, listingOf, type SeedResult } from '../local-service/seed-world';

/** What a newcomer can paste once the server is up. */
export function guide(url: string, world: SeedResult, seedFile: string): string {
  const buyer = accountOf(world, 'buyer');
  const seller = accountOf(world, 'seller');
  const listing = listingOf(world);
  const order = `{"listingId":"${listing.id}","quantity":2}`;
  const accounts = world.accounts.map(
    ({ kind, name, apiKey }) => `  ${kind.padEnd(6)}  ${name.padEnd(22)}  ${apiKey}`,
  );

  return `
Tradepost is up at ${url}. Ctrl-C stops it; the data stays for the next start.

Accounts of the demo world (also in ${seedFile})
${accounts.join('\n')}

With curl: the buyer's orders, and a new one
  curl -s '${url}/v1/orders?status=pending' -H 'Authorization: Bearer ${buyer.apiKey}'
  curl -s ${url}/v1/orders -H 'Authorization: Bearer ${buyer.apiKey}' -H 'Content-Type: application/json' -d '${order}'

With the CLI: the seller's day
  alias tradepost='node packages/cli/bin/tradepost.cjs'
  export TRADEPOST_BASE_URL=${url} TRADEPOST_API_KEY=${seller.apiKey}
  tradepost orders list --status pending
  tradepost notifications list --unread
  sh examples/confirm-pending.sh

With the SDK: save it as examples/try.mjs, then node examples/try.mjs
  import { Tradepost } from '@tradepost/sdk';
  const tradepost = new Tradepost({ baseUrl: '${url}', apiKey: '${buyer.apiKey}' });
  const order = await tradepost.orders.create({ listingId: '${listing.id}', quantity: 2 });
  console.log(order);

More to run and to copy: examples/README.md
`;
}
