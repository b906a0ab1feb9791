import { useMutation } from '@tanstack/react-query';
import type { WebhookUpdateParams } from '@tradepost/sdk';
import { useClient } from '../kernel/client';
import { useRefresh } from '../kernel/queries';

/** Changes a webhook. */
export function useUpdateWebhook(id: string) {
  const client = useClient();
  return useMutation({
    mutationFn: (change: WebhookUpdateParams) => client.webhooks.update(id, change),
    onSettled: useRefresh('webhooks', 'deliveries', 'summary'),
  });
}
