/** Requests over a pool of connections. It includes undici, which takes longer to load than Node's fetch. */
export { createPooledFetch } from '@tradepost/sdk/node';
