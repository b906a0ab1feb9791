import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ExpandedWebhook, WebhookDetails } from '@tradepost/sdk';
import { useState } from 'react';
import { useClient } from '../kernel/client';
import { useExtension } from '../kernel/extensions';
import { every, healthMs } from '../kernel/queries';
import { useMayWrite } from '../kernel/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { type Column, List, pageSize, pages } from '../ui/list';
import { Empty } from '../ui/notices';
import { PageHead } from '../ui/page';
import { DueTime, formatDuration, useNow } from '../ui/time';
import { RegisterWebhook } from './register-webhook';
import { describeWebhook, formatPercent, getSuccessRate } from './webhook-words';

type Row = WebhookDetails & Partial<Pick<ExpandedWebhook<'stats'>, 'stats'>>;

const columns: readonly Column<Row>[] = [
  {
    name: 'Endpoint',
    cell: ({ id, url, description }) => (
      <div>
        <Link to="/webhooks/$id" params={{ id }}>
          <bdi className="clamped" title={url}>
            {url}
          </bdi>
        </Link>
        {description !== null && (
          <div>
            <bdi>{description}</bdi>
          </div>
        )}
      </div>
    ),
  },
  { name: 'State', kind: 'narrow', cell: (webhook) => <Health webhook={webhook} /> },
  {
    name: 'Attempts that succeeded, 24 h',
    kind: 'number',
    cell: ({ stats }) => (stats === undefined ? '' : formatPercent(getSuccessRate(stats))),
  },
  {
    name: 'Response time, 95 %',
    kind: 'number',
    cell: ({ stats }) => (stats?.latencyMs ? formatDuration(stats.latencyMs.p95) : ''),
  },
  {
    name: 'Waiting',
    kind: 'number',
    cell: ({ pendingDeliveries }) => pendingDeliveries.toLocaleString('en'),
  },
];

/** Says how a webhook fares; while it backs off, until when. */
export function Health({ webhook }: { webhook: WebhookDetails }) {
  const { word, tone } = describeWebhook(webhook, useNow());
  return (
    <span>
      <Badge tone={tone}>{word}</Badge>
      {word === 'backoff' && webhook.backoffUntil !== null && (
        <>
          {' '}
          tries again <DueTime value={webhook.backoffUntil} />
        </>
      )}
    </span>
  );
}

/** The webhooks of the account, and how they fare. */
export function WebhooksPage() {
  const client = useClient();
  const hasList = useExtension('webhooks.manage');
  const hasStats = useExtension('webhooks.stats');
  const params = { limit: pageSize, ...(hasStats && { expand: 'stats' as const }) };
  const query = useInfiniteQuery({
    queryKey: ['webhooks', params],
    queryFn: ({ pageParam, signal }): Promise<{ data: Row[]; nextCursor: string | null }> =>
      client.webhooks.list({ ...params, ...(pageParam && { cursor: pageParam }) }, { signal }),
    ...pages,
    placeholderData: keepPreviousData,
    enabled: hasList,
    refetchInterval: every(healthMs),
  });
  return (
    <>
      <PageHead title="Webhooks">
        <Register />
      </PageHead>
      {hasList ? (
        <List
          query={query}
          what="webhooks"
          columns={hasStats ? columns : columns.filter(({ name }) => !/24 h|95 %/.test(name))}
          lines={{
            cli: ['webhooks', 'list', ...(hasStats ? ['--stats'] : [])],
            sdk: `for await (const webhook of tradepost.webhooks.list(${hasStats ? "{ expand: 'stats' }" : ''})) …`,
          }}
          empty={
            <Empty title="No webhook yet">
              <p>
                A webhook is an endpoint of yours that gets the events of your orders as they
                happen, signed.
              </p>
              <code>tradepost webhooks register --url https://… --events order.created</code>
              <code>
                {"await tradepost.webhooks.create({ url: 'https://…', events: ['order.created'] })"}
              </code>
            </Empty>
          }
        />
      ) : (
        <NoList />
      )}
    </>
  );
}

/** Is shown where the service only registers webhooks. */
export function NoList() {
  return (
    <Empty title="This service does not list webhooks">
      <p>It registers webhooks, but shows and changes none.</p>
    </Empty>
  );
}

function Register() {
  const [isOpen, setOpen] = useState(false);
  if (!useMayWrite()) return null;
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        Register a webhook
      </Button>
      {isOpen && <RegisterWebhook onClose={() => setOpen(false)} />}
    </>
  );
}
