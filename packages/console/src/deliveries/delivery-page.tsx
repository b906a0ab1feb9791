import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import type { DeliveryAttempt, DeliveryDetails, WebhookDetails } from '@tradepost/sdk';
import { type Action, explainDelivery, toCurl } from '@tradepost/sdk/explain';
import { ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useClient } from '../kernel/client';
import { useKeys } from '../kernel/keys';
import { every, untilNextAttempt, useRefresh } from '../kernel/queries';
import { useMayWrite } from '../kernel/session';
import { Button } from '../ui/button';
import { Copy } from '../ui/copy';
import { CopyableId } from '../ui/copyable-id';
import { Fact, Facts } from '../ui/facts';
import { HowTo } from '../ui/how-to';
import { Loaded } from '../ui/loaded';
import { Missing } from '../ui/missing';
import { Empty, Failure } from '../ui/notices';
import { PageHead, Panel } from '../ui/page';
import { Payload } from '../ui/payload';
import { DueTime, formatDuration, TextWithTimes, Time, useNow } from '../ui/time';
import styles from './delivery-page.module.css';
import { DeliveryState, Outcome } from './delivery-words';

const route = getRouteApi('/gate/deliveries/$id');

/** One delivery: what became of it, what to do, what was sent and what came back. */
export function DeliveryPage() {
  const { id } = route.useParams();
  const client = useClient();
  const query = useQuery({
    queryKey: ['deliveries', 'one', id],
    queryFn: ({ signal }) => client.deliveries.get(id, { signal }),
    refetchInterval: every<DeliveryDetails>((delivery, read) => untilNextAttempt([delivery], read)),
  });
  return (
    <Loaded
      query={query}
      what="the delivery"
      notFound={
        <Missing
          what="delivery"
          id={id}
          why="does not exist, belongs to another account, or was removed because of its age."
          list="/deliveries"
        />
      }
    >
      {(delivery) => <ShownDelivery delivery={delivery} />}
    </Loaded>
  );
}

function ShownDelivery({ delivery }: { delivery: DeliveryDetails }) {
  const client = useClient();
  const { data: webhook = null } = useQuery({
    queryKey: ['webhooks', 'one', delivery.webhookId],
    queryFn: ({ signal }) => client.webhooks.get(delivery.webhookId, { signal }),
  });
  return (
    <>
      <PageHead
        up="/deliveries"
        title="Delivery"
        id={delivery.id}
        note={
          <>
            <DeliveryState state={delivery.state} />
            <span>
              {delivery.event}
              {delivery.test && ', a test'}, queued <Time value={delivery.createdAt} />
            </span>
          </>
        }
      >
        <Replay delivery={delivery} />
      </PageHead>
      <Verdict delivery={delivery} webhook={webhook} />
      <Facts>
        <Fact name="Order">
          {delivery.orderId === null ? (
            'none: a test event'
          ) : (
            <Link
              to="/orders/$id"
              params={{ id: delivery.orderId }}
              search={{ at: delivery.eventId }}
            >
              <code>{delivery.orderId}</code>
            </Link>
          )}
        </Fact>
        <Fact name="Event">
          {delivery.test ? (
            <CopyableId id={delivery.eventId} />
          ) : (
            <Link to="/events/$id" params={{ id: delivery.eventId }}>
              <code>{delivery.eventId}</code>
            </Link>
          )}
        </Fact>
        <Fact name="Webhook">
          <Link to="/webhooks/$id" params={{ id: delivery.webhookId }}>
            <code>{delivery.webhookId}</code>
          </Link>
          {webhook !== null && <bdi className={styles.url}>{webhook.url}</bdi>}
        </Fact>
        <Fact name="Expires">
          <Time value={delivery.deadlineAt} />
        </Fact>
      </Facts>
      <Panel title="Attempts">
        {delivery.attempts.length === 0 ? (
          <Empty title="No attempt yet" />
        ) : (
          <ol className={styles.attempts}>
            {delivery.attempts.toReversed().map((attempt) => (
              <Attempt key={attempt.number} attempt={attempt} body={delivery.body} />
            ))}
          </ol>
        )}
      </Panel>
      <Panel title="Body, as signed">
        <Payload text={delivery.body} />
      </Panel>
      <HowTo
        cli={['webhooks', 'explain', delivery.id]}
        sdk={`await tradepost.deliveries.get('${delivery.id}')`}
      />
    </>
  );
}

function Verdict({
  delivery,
  webhook,
}: {
  delivery: DeliveryDetails;
  webhook: WebhookDetails | null;
}) {
  const now = useNow();
  const { verdict, reason, actions } = explainDelivery(delivery, { webhook, now });
  return (
    <section className={styles.verdict} data-verdict={verdict} aria-label="Verdict">
      <h2>{verdict.replaceAll('_', ' ')}</h2>
      <p>
        <TextWithTimes text={reason} />
      </p>
      {actions.length > 0 && (
        <ul>
          {actions.map((action) => (
            <li key={action.text}>
              {action.text} <ActionLink action={action} delivery={delivery} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Leads to where an action is done, if it is done here. */
function ActionLink({ action, delivery }: { action: Action; delivery: DeliveryDetails }) {
  const params = { id: delivery.webhookId };
  if (action.type === 'resume' || action.type === 'change_url' || action.type === 'test') {
    return (
      <Link to="/webhooks/$id" params={params}>
        Open the webhook
      </Link>
    );
  }
  if (action.type === 'wait' && action.until !== null) return <DueTime value={action.until} />;
  return null;
}

function Replay({ delivery }: { delivery: DeliveryDetails }) {
  const client = useClient();
  const mayWrite = useMayWrite();
  const replay = useMutation({
    mutationFn: () => client.deliveries.replay(delivery.id),
    onSettled: useRefresh('deliveries', 'timeline', 'webhooks'),
  });
  useKeys({
    r: () => {
      if (mayWrite && !replay.isPending) replay.mutate();
    },
  });
  if (!mayWrite) return null;
  return (
    <>
      <Button look="primary" busy={replay.isPending} onClick={() => replay.mutate()}>
        Replay
      </Button>
      {replay.isError && <Failure error={replay.error} what="replay it" />}
    </>
  );
}

function Attempt({ attempt, body }: { attempt: DeliveryAttempt; body: string }) {
  const { number, startedAt, durationMs, url, headers, responseSnippet } = attempt;
  const curl = toCurl({ url, headers, body });
  const anchor = `attempt-${number}`;
  const isSought = useLocation({ select: ({ hash }) => hash === anchor });
  const [isOpen, setOpen] = useState(isSought);
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isSought) return;
    setOpen(true);
    ref.current?.scrollIntoView({ block: 'center' });
  }, [isSought]);
  return (
    <li ref={ref} id={anchor} className={styles.attempt} data-sought={isSought || undefined}>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <ChevronRight aria-hidden />
          <span className={styles.number}>{number}</span>
          <span className={styles.outcome}>
            <Outcome {...attempt} />
          </span>
          <span>{formatDuration(durationMs)}</span>
          <span className={styles.when}>
            <Time value={startedAt} />
          </span>
        </summary>
        <div className={styles.details}>
          <h3>Request</h3>
          <p className={styles.url}>POST {url}</p>
          <dl className={styles.headers}>
            {Object.entries(headers).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ))}
          </dl>
          <h3>Response</h3>
          {responseSnippet === '' ? <p>No body.</p> : <Payload text={responseSnippet} />}
          {curl !== null && (
            <p className={styles.curl}>
              <Copy text={curl} what="a curl command" /> Copy it as a curl command, to send it again
              yourself
            </p>
          )}
        </div>
      </details>
    </li>
  );
}
