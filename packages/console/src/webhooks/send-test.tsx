import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { EventType, WebhookDetails } from '@tradepost/sdk';
import { useClient } from '../kernel/client';
import { useExtension } from '../kernel/extensions';
import { useMayWrite } from '../kernel/session';
import { Button } from '../ui/button';
import { Failure } from '../ui/notices';

/** A button that sends a test event and shows its delivery. */
export function SendTest({ webhook }: { webhook: WebhookDetails }) {
  const client = useClient();
  const navigate = useNavigate();
  const isThere = useExtension('webhooks.test');
  const mayWrite = useMayWrite();
  const test = useMutation({
    mutationFn: () =>
      client.webhooks.test(webhook.id, {
        event: (webhook.events[0] ?? 'order.created') as EventType,
      }),
    onSuccess: ({ id }) => navigate({ to: '/deliveries/$id', params: { id } }),
  });
  if (!isThere || !mayWrite) return null;
  return (
    <>
      <Button
        busy={test.isPending}
        disabled={webhook.status === 'paused'}
        onClick={() => test.mutate()}
      >
        Send a test event
      </Button>
      {test.isError && <Failure error={test.error} what="send it" />}
    </>
  );
}
