import type { OrderExpansion, OrderSort } from '@tradepost/sdk';

/** How lists of orders may be sorted: `-` is newest first. Source: the contract, `orderSorts`. */
export const orderSorts = [
  '-createdAt',
  'createdAt',
  '-updatedAt',
  'updatedAt',
] as const satisfies readonly OrderSort[];

/** What the service can return names of. Source: the contract, `orderExpansions`. */
export const orderExpansions = [
  'buyer',
  'seller',
  'agent',
  'listing',
] as const satisfies readonly OrderExpansion[];
