// Makes calls with the client of a file, and prints their results: node main.js FILE
import type { Tradepost } from '@tradepost/sdk';

const { tradepost } = (await import(`./${process.argv[2]}.js`)) as { tradepost: Tradepost };
const client = tradepost.withOptions({ maxRetries: 0, timeout: 10_000 });

const listed = await client.orders.list({ limit: 1 }).safe();
const missing = await client.orders.get('ord_00000000000000000000000000').safe();
const created = await client.orders
  .create({ listingId: process.env.LISTING_ID ?? '', quantity: 1 })
  .safe();
console.log(
  JSON.stringify({
    listed: listed.ok ? listed.data.data.length : listed.error.code,
    missing: missing.ok ? 'found' : missing.error.code,
    created: created.ok ? created.data.status : created.error.code,
    // Whether the failed change certainly was not sent.
    notSent: created.ok ? undefined : Object(created.error).notSent,
  }),
);
