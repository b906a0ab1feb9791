import { useQuery } from '@tanstack/react-query';
import type { Order } from '@tradepost/sdk';
import { useClient } from '../kernel/client';
import { useExtension } from '../kernel/extensions';

/** An order with what the service adds to it, and its entity tag. */
export type ShownOrder = Order & {
  buyer?: { name: string };
  seller?: { name: string };
  agent?: { name: string } | null;
  listing?: { title: string | null };
  etag: string | null;
};

/** Reads an order and its entity tag. */
export function useOrder(id: string) {
  const client = useClient();
  const hasNames = useExtension('orders.expand');
  return useQuery({
    queryKey: ['orders', 'one', id, hasNames],
    queryFn: async ({ signal }): Promise<ShownOrder> => {
      const expand = hasNames ? (['buyer', 'seller', 'agent', 'listing'] as const) : undefined;
      const { data, headers } = await client.orders
        .get(id, { signal, ...(expand && { expand }) })
        .withResponse();
      return { ...data, etag: headers.get('etag') };
    },
  });
}
