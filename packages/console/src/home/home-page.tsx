import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { orderStatuses, type Summary, type WebhookDetails } from '@tradepost/sdk';
import { type ReactNode, useState } from 'react';
import { useClient } from '../kernel/client';
import { useExtension } from '../kernel/extensions';
import { every, healthMs } from '../kernel/queries';
import { useMayWrite } from '../kernel/session';
import { getStatusTone } from '../orders/order-words';
import { Badge, type Tone } from '../ui/badge';
import { Button } from '../ui/button';
import { countOf, formatCount } from '../ui/count';
import { HowTo } from '../ui/how-to';
import { usePaging } from '../ui/list';
import { Loaded } from '../ui/loaded';
import { Empty } from '../ui/notices';
import { PageHead, Panel } from '../ui/page';
import { TextWithTimes, Time, useNow } from '../ui/time';
import { RegisterWebhook } from '../webhooks/register-webhook';
import { describeWebhook } from '../webhooks/webhook-words';
import styles from './home-page.module.css';

/** How many of the newest orders are shown. */
const newest = 5;
/** How many webhooks are read. Source: the largest limit of webhooks that an operator may set for an account. */
const maxWebhooks = 1_000;

/** The state of the account at a glance: first what needs someone, then the rest. */
export function HomePage() {
  const client = useClient();
  const hasSummary = useExtension('summary');
  const query = useQuery({
    queryKey: ['summary'],
    queryFn: ({ signal }) => client.summary.get({ signal }),
    enabled: hasSummary,
    refetchInterval: every(healthMs),
  });
  return (
    <>
      <PageHead title="Overview" />
      {hasSummary && (
        <Loaded query={query} what="the overview">
          {(summary) => <Counts summary={summary} />}
        </Loaded>
      )}
      <div className={styles.two}>
        <Endpoints counts={query.data?.webhooks} />
        <NewestOrders />
      </div>
      {hasSummary && <HowTo cli={['summary']} sdk="await tradepost.summary.get()" />}
    </>
  );
}

function Counts({ summary: { asOf, orders, unread } }: { summary: Summary }) {
  return (
    <Panel
      title="Orders and unread notifications"
      action={
        <span className={styles.asOf}>
          counted <Time value={asOf} />
        </span>
      }
    >
      <ul className={styles.tiles}>
        {orderStatuses.map((status) => (
          <li key={status}>
            <Link to="/orders" search={{ status }}>
              <strong>{formatCount(orders[status])}</strong>
              <Badge tone={getStatusTone(status)}>{status}</Badge>
            </Link>
          </li>
        ))}
        <li>
          <Link to="/notifications" search={{ read: 'false' }}>
            <strong>{formatCount(unread)}</strong>
            <Badge tone={unread.count > 0 ? 'info' : 'plain'}>unread</Badge>
          </Link>
        </li>
      </ul>
    </Panel>
  );
}

/** Endpoints that need someone, the worst first. */
function Endpoints({ counts }: { counts: Summary['webhooks'] | undefined }) {
  const client = useClient();
  const isThere = useExtension('webhooks.manage');
  const query = useQuery({
    queryKey: ['webhooks', 'all'],
    queryFn: ({ signal }) =>
      client.webhooks.list({ limit: 100 }, { signal }).toArray({ limit: maxWebhooks }),
    enabled: isThere,
    refetchInterval: every(healthMs),
  });
  const mayWrite = useMayWrite();
  const [isRegistering, setRegistering] = useState(false);
  if (!isThere) return null;
  return (
    <Panel title="Endpoints" action={<Link to="/webhooks">All webhooks</Link>}>
      {counts !== undefined && <WebhookCounts counts={counts} />}
      <Loaded query={query} what="the endpoints">
        {(webhooks) =>
          webhooks.length === 0 ? (
            <Empty title="No webhook yet">
              <p>A webhook gets the events of your orders as they happen.</p>
              {mayWrite && <Button onClick={() => setRegistering(true)}>Register a webhook</Button>}
            </Empty>
          ) : (
            <Troubled webhooks={webhooks} />
          )
        }
      </Loaded>
      {/* Outside: it shows the secret when there is a webhook. */}
      {isRegistering && <RegisterWebhook onClose={() => setRegistering(false)} />}
    </Panel>
  );
}

/** What the counts of the summary mean, the worst first. */
const countTones = { disabled: 'bad', backoff: 'bad', paused: 'warn', active: 'good' } as const;

function WebhookCounts({ counts }: { counts: Summary['webhooks'] }) {
  const states = Object.entries(countTones) as [keyof typeof countTones, Tone][];
  return (
    <ul className={styles.counts} aria-label="Webhooks by state">
      {states
        .filter(([state]) => counts[state] > 0)
        .map(([state, tone]) => (
          <li key={state}>
            <Badge tone={tone}>
              {counts[state].toLocaleString('en')} {state}
            </Badge>
          </li>
        ))}
    </ul>
  );
}

const ranks: Record<Tone, number> = { bad: 0, warn: 1, info: 2, plain: 2, good: 3 };

function Troubled({ webhooks }: { webhooks: readonly WebhookDetails[] }) {
  const now = useNow();
  const troubled = webhooks
    .map((webhook) => ({ webhook, ...describeWebhook(webhook, now) }))
    .filter(({ tone }) => tone === 'bad' || tone === 'warn')
    .toSorted(
      (one, other) =>
        // A disabled one gets nothing until someone resumes it.
        Number(other.word === 'disabled') - Number(one.word === 'disabled') ||
        ranks[one.tone] - ranks[other.tone] ||
        other.webhook.pendingDeliveries - one.webhook.pendingDeliveries,
    );
  if (troubled.length === 0) {
    return (
      <Empty title="All well">
        <p>No endpoint is failing or paused.</p>
      </Empty>
    );
  }
  return (
    <ul className={styles.rows}>
      {troubled.map(({ webhook, word, tone, reason }) => (
        <Row
          key={webhook.id}
          link={
            <Link to="/webhooks/$id" params={{ id: webhook.id }}>
              <bdi className="clamped" title={webhook.url}>
                {webhook.url}
              </bdi>
            </Link>
          }
          badge={<Badge tone={tone}>{word}</Badge>}
        >
          <TextWithTimes text={reason} />
        </Row>
      ))}
    </ul>
  );
}

function NewestOrders() {
  const client = useClient();
  const paging = usePaging(newest);
  const query = useQuery({
    queryKey: ['orders', 'newest', paging],
    queryFn: ({ signal }) => client.orders.list(paging, { signal }),
  });
  return (
    <Panel title="Newest orders" action={<Link to="/orders">All orders</Link>}>
      <Loaded query={query} what="the newest orders">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="There are no orders yet" />
          ) : (
            <ul className={styles.rows}>
              {data.slice(0, newest).map((order) => (
                <Row
                  key={order.id}
                  link={
                    <Link to="/orders/$id" params={{ id: order.id }}>
                      <code>{order.id}</code>
                    </Link>
                  }
                  badge={<Badge tone={getStatusTone(order.status)}>{order.status}</Badge>}
                >
                  {countOf(order.quantity, 'unit')}, <Time value={order.createdAt} />
                </Row>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Row({
  link,
  badge,
  children,
}: {
  link: ReactNode;
  badge: ReactNode;
  children: ReactNode;
}) {
  return (
    <li>
      <div className={styles.rowHead}>
        {link}
        {badge}
      </div>
      <p>{children}</p>
    </li>
  );
}
