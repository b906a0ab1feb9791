import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { OrderTimeline, TimelineDelivery, TimelineEntry } from '@tradepost/sdk';
import { useEffect, useRef } from 'react';
import { DeliveryState, Outcome } from '../deliveries/delivery-words';
import { useClient } from '../kernel/client';
import { every, untilNextAttempt } from '../kernel/queries';
import { useSession } from '../kernel/session';
import { Badge } from '../ui/badge';
import { countOf } from '../ui/count';
import { Loaded } from '../ui/loaded';
import { Empty } from '../ui/notices';
import { DueTime, formatDuration, Time } from '../ui/time';
import { getStatusTone } from './order-words';
import type { ShownOrder } from './shown-order';
import styles from './timeline.module.css';

const route = getRouteApi('/gate/orders/$id');

/** The past of an order as one trail: who changed what and why, the events of it, and what became of each. */
export function Timeline({ order }: { order: ShownOrder }) {
  const { id: orderId } = order;
  const client = useClient();
  const { at } = route.useSearch();
  const query = useQuery({
    queryKey: ['timeline', orderId],
    queryFn: ({ signal }) => client.orders.timeline(orderId, { signal }),
    refetchInterval: every<OrderTimeline>(({ entries }, read) =>
      untilNextAttempt(
        entries.flatMap(({ deliveries }) => deliveries),
        read,
      ),
    ),
  });
  return (
    <Loaded query={query} what="the timeline">
      {(timeline) => <Trail timeline={timeline} at={at} names={findNames(order)} />}
    </Loaded>
  );
}

/** The names of accounts, by their IDs. */
type Names = ReadonlyMap<string, string>;

function findNames({ buyerId, buyer, sellerId, seller, agentId, agent }: ShownOrder): Names {
  const names = new Map<string, string>();
  if (buyer) names.set(buyerId, buyer.name);
  if (seller) names.set(sellerId, seller.name);
  if (agent && agentId !== null) names.set(agentId, agent.name);
  return names;
}

/** What events are called that change no status. Others are called by their types: the service may add types. */
const titles: Partial<Record<string, string>> = {
  'task.approval_requested': 'Approval by the agent requested',
  'task.completed': 'Approval completed',
  'listing.availability_low': 'Few units of the listing left',
};

function Trail({
  timeline: { entries, prunedBefore },
  at,
  names,
}: {
  names: Names;
  timeline: OrderTimeline;
  /** The ID of the event that the address names. */
  at: string | undefined;
}) {
  if (entries.length === 0) {
    return (
      <Empty title="Nothing is stored any more">
        {prunedBefore !== null && (
          <p>
            Events from before <Time value={prunedBefore} /> were removed.
          </p>
        )}
      </Empty>
    );
  }
  return (
    <ol className={styles.trail}>
      {prunedBefore !== null && (
        <li className={styles.pruned}>
          Events from before <Time value={prunedBefore} /> may have been removed.
        </li>
      )}
      {entries.map((entry) => (
        <Entry key={entry.event.id} entry={entry} names={names} isSought={entry.event.id === at} />
      ))}
    </ol>
  );
}

function Entry({
  entry,
  names,
  isSought,
}: {
  entry: TimelineEntry;
  names: Names;
  isSought: boolean;
}) {
  const { change, event, notification, deliveries } = entry;
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isSought) ref.current?.scrollIntoView({ block: 'center' });
  }, [isSought]);
  return (
    <li ref={ref} className={styles.entry} data-sought={isSought || undefined}>
      <div className={styles.what}>
        {change === null ? (
          <h3>{getTitle(event.type)}</h3>
        ) : (
          <Change change={change} names={names} />
        )}
        <span className={styles.when}>
          <Time value={event.createdAt} />
        </span>
      </div>
      {change?.reason != null && (
        <blockquote className={styles.reason}>
          <bdi>{change.reason}</bdi>
        </blockquote>
      )}
      <ul className={styles.effects}>
        <li>
          <span className={styles.kind}>Event</span>
          <Link from="/orders/$id" to="." search={{ at: event.id }}>
            {event.type}
          </Link>{' '}
          <code className={styles.id}>{event.id}</code>
        </li>
        <li>
          <span className={styles.kind}>Notification</span>
          {notification === null
            ? 'none is stored for you'
            : notification.read
              ? 'you have read it'
              : 'you have not read it yet'}
        </li>
        {deliveries.length === 0 && (
          <li>
            <span className={styles.kind}>Deliveries</span>none: no webhook of yours subscribed
          </li>
        )}
        {deliveries.map((delivery) => (
          <DeliveryOfEvent key={delivery.id} delivery={delivery} />
        ))}
      </ul>
    </li>
  );
}

function getTitle(type: string): string {
  return Object.hasOwn(titles, type) ? (titles[type] ?? type) : type;
}

function Change({
  change: { from, to, actor },
  names,
}: {
  change: NonNullable<TimelineEntry['change']>;
  names: Names;
}) {
  return (
    <h3>
      {from === null ? (
        'Created'
      ) : (
        <>
          <Badge tone={getStatusTone(from)}>{from}</Badge>
          <span className={styles.arrow} role="img" aria-label="to">
            →
          </span>
          <Badge tone={getStatusTone(to)}>{to}</Badge>
        </>
      )}{' '}
      <Actor actor={actor} names={names} />
    </h3>
  );
}

function Actor({
  actor,
  names,
}: {
  actor: { accountId: string; kind: string } | null;
  names: Names;
}) {
  const own = useSession()?.account?.id;
  if (actor === null) return null;
  const name = names.get(actor.accountId);
  return (
    <span className={styles.actor}>
      by {actor.accountId === own ? 'you' : `the ${actor.kind}`}
      {actor.accountId !== own &&
        (name === undefined ? (
          <code className={styles.id}> {actor.accountId}</code>
        ) : (
          <>
            {' '}
            <bdi>{name}</bdi>
          </>
        ))}
    </span>
  );
}

function DeliveryOfEvent({ delivery }: { delivery: TimelineDelivery }) {
  const { id, state, webhookId, attempts, attemptCount, nextAttemptAt } = delivery;
  return (
    <li>
      <span className={styles.kind}>Delivery</span>
      <DeliveryState state={state} />{' '}
      <Link to="/deliveries/$id" params={{ id }}>
        <code className={styles.id}>{id}</code>
      </Link>{' '}
      to{' '}
      <Link to="/webhooks/$id" params={{ id: webhookId }}>
        <code className={styles.id}>{webhookId}</code>
      </Link>
      {attempts.length > 0 && (
        <ol className={styles.attempts}>
          {attemptCount > attempts.length && (
            <li>{countOf(attemptCount - attempts.length, 'earlier attempt')}</li>
          )}
          {attempts.map((attempt) => (
            <li key={attempt.number}>
              <Link to="/deliveries/$id" params={{ id }} hash={`attempt-${attempt.number}`}>
                Attempt {attempt.number}
              </Link>
              : <Outcome {...attempt} /> after {formatDuration(attempt.durationMs)},{' '}
              <Time value={attempt.startedAt} />
            </li>
          ))}
        </ol>
      )}
      {nextAttemptAt !== null && (
        <p className={styles.next}>
          Next attempt <DueTime value={nextAttemptAt} />
        </p>
      )}
    </li>
  );
}
