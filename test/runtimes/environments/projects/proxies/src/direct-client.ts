import { Tradepost } from '@tradepost/sdk';

/** A client without a proxy of its own. */
export const tradepost = new Tradepost({
  baseUrl: process.env.TRADEPOST_BASE_URL ?? '',
  apiKey: process.env.TRADEPOST_API_KEY ?? '',
});
