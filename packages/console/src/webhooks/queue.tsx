import { useQuery } from '@tanstack/react-query';
import type { Delivery, WebhookDetails } from '@tradepost/sdk';
import { useMemo } from 'react';
import { useClient } from '../kernel/client';
import { every, healthMs } from '../kernel/queries';
import { countOf } from '../ui/count';
import { DataTable } from '../ui/data-table';
import { HowTo } from '../ui/how-to';
import { LaterChart } from '../ui/later-chart';
import { Loaded } from '../ui/loaded';
import { Empty } from '../ui/notices';
import { Panel } from '../ui/page';
import { DueTime, Time, useNow } from '../ui/time';
import styles from './health.module.css';

/** How many of the deliveries that wait are drawn. */
const maxDrawn = 100;
/** Into how many parts the time until the last attempt is divided. */
const partCount = 24;

/** What waits for an endpoint, and when it is attempted next. */
export function Queue({ webhook }: { webhook: WebhookDetails }) {
  const client = useClient();
  const query = useQuery({
    queryKey: ['deliveries', 'queue', webhook.id],
    queryFn: ({ signal }) =>
      client.deliveries.list(
        { webhookId: webhook.id, state: 'pending', limit: maxDrawn },
        { signal },
      ),
    refetchInterval: every(healthMs),
  });
  return (
    <Panel title="What waits, and when it is attempted next">
      <Loaded query={query} what="the queue">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="Nothing waits" />
          ) : (
            <div className={styles.queue}>
              <State webhook={webhook} drawn={data.length} />
              <NextAttempts deliveries={data} readAt={query.dataUpdatedAt} />
            </div>
          )
        }
      </Loaded>
      <div className={styles.queue}>
        <HowTo
          cli={['webhooks', 'deliveries', '--webhook', webhook.id, '--state', 'pending']}
          sdk={`for await (const one of tradepost.deliveries.list({ webhookId: '${webhook.id}', state: 'pending' })) …`}
        />
      </div>
    </Panel>
  );
}

function State({ webhook, drawn }: { webhook: WebhookDetails; drawn: number }) {
  const { pendingDeliveries, backoffUntil, status, consecutiveFailures } = webhook;
  const count = Math.max(pendingDeliveries, drawn);
  return (
    <p>
      <strong>{count.toLocaleString('en')}</strong>{' '}
      {count === 1 ? 'delivery waits' : 'deliveries wait'}
      {count > drawn && `; the newest ${drawn} are drawn`}.{' '}
      {status === 'paused' ? (
        'The webhook is paused: none is attempted until it is resumed.'
      ) : backoffUntil === null ? (
        'Each is sent when its next attempt is due.'
      ) : (
        <>
          After {countOf(consecutiveFailures, 'failure')} in a row, the next attempt is{' '}
          <DueTime value={backoffUntil} />.
        </>
      )}
    </p>
  );
}

/** How many attempts fall into each part of the time until the last one. */
function NextAttempts({
  deliveries,
  readAt,
}: {
  deliveries: readonly Delivery[];
  /** When they were read, in milliseconds. */
  readAt: number;
}) {
  const now = useNow();
  const parts = useMemo(() => countByTime(deliveries, readAt), [deliveries, readAt]);
  const times = useMemo(() => parts.map(({ start }) => start), [parts]);
  const series = useMemo(
    () => [
      { name: 'Attempts', color: '--info', values: parts.map(({ count }) => count), bars: true },
    ],
    [parts],
  );
  return (
    <>
      {parts.length > 1 && <LaterChart times={times} series={series} />}
      <DataTable
        name="Next attempts in numbers"
        columns={['From', 'Attempts']}
        rows={parts
          .filter(({ count }) => count > 0)
          .map(({ start, count }) => ({
            key: String(start),
            cells: [
              start <= now ? 'now' : <Time key="start" value={new Date(start).toISOString()} />,
              count.toLocaleString('en'),
            ],
          }))}
      />
    </>
  );
}

/** Counts deliveries by the time of their next attempt. Those without one are due now. */
function countByTime(
  deliveries: readonly Delivery[],
  now: number,
): { start: number; count: number }[] {
  const due = deliveries.map(({ nextAttemptAt }) =>
    Math.max(now, nextAttemptAt === null ? now : Date.parse(nextAttemptAt)),
  );
  const length = Math.max(1_000, (Math.max(...due) - now) / partCount);
  const parts = Array.from({ length: partCount }, (_, index) => ({
    start: now + index * length,
    count: 0,
  }));
  for (const time of due) {
    const part = parts[Math.min(partCount - 1, Math.floor((time - now) / length))];
    if (part !== undefined) part.count += 1;
  }
  return parts;
}
