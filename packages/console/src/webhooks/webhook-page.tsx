import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type StatsWindow, statsWindows, type WebhookDetails } from '@tradepost/sdk';
import { DeliveryList } from '../deliveries/delivery-list';
import { useClient } from '../kernel/client';
import { useExtension } from '../kernel/extensions';
import { useKeys } from '../kernel/keys';
import { every, healthMs } from '../kernel/queries';
import { useMayWrite } from '../kernel/session';
import { Button } from '../ui/button';
import { CopyableId } from '../ui/copyable-id';
import { Loaded } from '../ui/loaded';
import { Missing } from '../ui/missing';
import { NoSuchPage } from '../ui/no-such-page';
import { Failure } from '../ui/notices';
import { PageHead } from '../ui/page';
import tabs from '../ui/tabs.module.css';
import { TextWithTimes, useNow } from '../ui/time';
import { WebhookHealth } from './health';
import { Queue } from './queue';
import { RotateSecret } from './rotate-secret';
import { SendTest } from './send-test';
import { WebhookSettings } from './settings';
import { useUpdateWebhook } from './update-webhook';
import styles from './webhook-page.module.css';
import { describeWebhook } from './webhook-words';
import { Health, NoList } from './webhooks-page';

const route = getRouteApi('/gate/webhooks/$id/$part');

const parts = {
  health: 'Health',
  deliveries: 'Deliveries',
  settings: 'Settings',
  rotate: 'Secret',
} as const;

/** Reads a webhook. */
function useWebhook(id: string, isThere: boolean) {
  const client = useClient();
  return useQuery({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) => client.webhooks.get(id, { signal }),
    enabled: isThere,
    refetchInterval: every(healthMs),
  });
}

/** One webhook: how it fares, its deliveries, its settings and its secret. */
export function WebhookPage() {
  const { id, part } = route.useParams();
  const isThere = useExtension('webhooks.manage');
  const query = useWebhook(id, isThere);
  if (!Object.hasOwn(parts, part)) return <NoSuchPage />;
  if (!isThere) return <NoList />;
  return (
    <Loaded
      query={query}
      what="the webhook"
      notFound={
        <Missing
          what="webhook"
          id={id}
          why="was deleted, or belongs to another account."
          list="/webhooks"
        />
      }
    >
      {(webhook) => <Shown webhook={webhook} />}
    </Loaded>
  );
}

function Shown({ webhook }: { webhook: WebhookDetails }) {
  const { part } = route.useParams();
  const { window = '24h' } = route.useSearch();
  const navigate = route.useNavigate();
  const hasStats = useExtension('webhooks.stats');
  const { id } = webhook;
  return (
    <>
      <PageHead
        up="/webhooks"
        title={webhook.url}
        note={
          <>
            <Health webhook={webhook} /> <CopyableId id={id} />
            {webhook.description !== null && <bdi>{webhook.description}</bdi>}
          </>
        }
      >
        <SendTest webhook={webhook} />
        <PauseOrResume webhook={webhook} />
      </PageHead>
      <Reason webhook={webhook} />
      <nav aria-label="About this webhook" className={tabs.tabs}>
        {Object.entries(parts).map(([name, text]) => (
          <Link key={name} to="/webhooks/$id/$part" params={{ id, part: name }} replace>
            {text}
          </Link>
        ))}
      </nav>
      {part === 'health' && hasStats && (
        <WebhookHealth
          id={id}
          window={statsWindows.includes(window as StatsWindow) ? (window as StatsWindow) : '24h'}
          onWindow={(one) => void navigate({ search: { window: one }, replace: true })}
        />
      )}
      {part === 'health' && <Queue webhook={webhook} />}
      {part === 'deliveries' && (
        <>
          <p>
            <Link to="/deliveries" search={{ webhook: id }}>
              Filter and replay them
            </Link>
          </p>
          <DeliveryList filters={{ webhook: id }} hidden={['Webhook']} />
        </>
      )}
      {part === 'settings' && <WebhookSettings webhook={webhook} />}
      {part === 'rotate' && <RotateSecret webhook={webhook} />}
    </>
  );
}

function Reason({ webhook }: { webhook: WebhookDetails }) {
  const { tone, reason } = describeWebhook(webhook, useNow());
  if (tone === 'good') return null;
  return (
    <p className={styles.reason} data-tone={tone}>
      <TextWithTimes text={reason} />
    </p>
  );
}

function PauseOrResume({ webhook }: { webhook: WebhookDetails }) {
  const update = useUpdateWebhook(webhook.id);
  const mayWrite = useMayWrite();
  const isPaused = webhook.status === 'paused';
  const change = () => update.mutate({ status: isPaused ? 'active' : 'paused' });
  useKeys({
    p: () => {
      if (mayWrite && !update.isPending) change();
    },
  });
  if (!mayWrite) return null;
  return (
    <>
      <Button look={isPaused ? 'primary' : 'plain'} busy={update.isPending} onClick={change}>
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      {update.isError && <Failure error={update.error} what="change it" />}
    </>
  );
}
