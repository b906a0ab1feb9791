import {
  isTradepostError,
  type OrderStatus,
  orderStatuses,
  PreconditionFailedError,
  type Tradepost,
  type TradepostError,
} from '@tradepost/sdk';
import { useRef, useState } from 'react';
import { isSignedOut, useClient } from '../kernel/client';
import { isTemporary, useRefresh } from '../kernel/queries';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import form from '../ui/form.module.css';
import { HowTo } from '../ui/how-to';
import { describeFailure, Failure } from '../ui/notices';
import styles from './bulk-change.module.css';
import { getNextStatuses, getStatusTone, toSetStatus, toUpdate } from './order-words';
import { ReasonField } from './reason-field';

/** An order as it was seen when it was selected. */
export interface SelectedOrder {
  id: string;
  status: string;
  /** Null if the service sends none in lists: then the order is read first. */
  etag: string | null;
}

/** What became of one order. */
type Outcome =
  | { type: 'changed' }
  /** It had the status before. */
  | { type: 'unchanged' }
  /** Someone changed it after it was seen. It was left as it is. */
  | { type: 'changed_meanwhile'; now: string }
  | { type: 'failed'; message: string; mayHaveBeenApplied: boolean };

/** How many orders are changed at once. */
const concurrency = 4;

/** Whether the next order would fail too: the session is over, or the service is not there. An error 500 may be about one order. */
function isInterruption(error: unknown): boolean {
  return isSignedOut(error) || (isTemporary(error) && (error as TradepostError).status !== 500);
}

/**
 * Changes one order, unless someone has changed it since it was seen.
 *
 * @throws what stops all of them: see `isInterruption`
 */
async function changeOne(
  client: Tradepost,
  { id, status: seen, etag }: SelectedOrder,
  to: OrderStatus,
  reason: string,
): Promise<Outcome> {
  try {
    let ifMatch = etag;
    if (ifMatch === null) {
      const { data, headers } = await client.orders.get(id).withResponse();
      if (data.status !== seen) return { type: 'changed_meanwhile', now: data.status };
      ifMatch = headers.get('etag');
    }
    const options = ifMatch === null ? {} : { ifMatch };
    const { headers } = await client.orders
      .update(id, toUpdate(to, reason), options)
      .withResponse();
    return { type: headers.get('tradepost-changed') === 'false' ? 'unchanged' : 'changed' };
  } catch (error) {
    if (error instanceof PreconditionFailedError) {
      const now = await client.orders.get(id).safe();
      // Also where an earlier request changed it whose response was lost.
      if (now.ok && now.data.status === to) return { type: 'unchanged' };
      if (now.ok) return { type: 'changed_meanwhile', now: now.data.status };
      if (isInterruption(now.error)) throw now.error;
    }
    if (isInterruption(error)) throw error;
    return {
      type: 'failed',
      message: describeFailure(error),
      mayHaveBeenApplied: isTradepostError(error) && error.mayHaveBeenApplied,
    };
  }
}

/** A dialog that moves the selected orders to another status, each only if it is as it was seen. */
export function BulkChange({
  orders: selected,
  onClose,
}: {
  orders: readonly SelectedOrder[];
  /** @param settled The orders that are not as they were seen any more, or have the status. */
  onClose: (settled: readonly string[]) => void;
}) {
  const [orders] = useState(selected);
  // After signing in again, the rest is changed by the client with the new key.
  const current = useClient();
  const client = useRef(current);
  client.current = current;
  const refresh = useRefresh('orders', 'timeline', 'summary');
  const possible = orderStatuses.filter((status) =>
    orders.some((order) => getNextStatuses(order.status).includes(status)),
  );
  const [to, setTo] = useState<OrderStatus | ''>(possible.length === 1 ? (possible[0] ?? '') : '');
  const [reason, setReason] = useState('');
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [isRunning, setRunning] = useState(false);
  const [interruption, setInterruption] = useState<unknown>(null);
  const isStopped = useRef(false);
  const left = orders.filter(({ id }) => !outcomes.has(id));
  const failed = orders.filter(({ id }) => outcomes.get(id)?.type === 'failed');

  async function run(target: OrderStatus) {
    setRunning(true);
    setInterruption(null);
    isStopped.current = false;
    const waiting = [...left, ...failed];
    async function work() {
      for (;;) {
        const order = isStopped.current ? undefined : waiting.shift();
        if (order === undefined) return;
        try {
          const outcome = await changeOne(client.current, order, target, reason);
          setOutcomes((before) => new Map(before).set(order.id, outcome));
        } catch (error) {
          isStopped.current = true;
          setInterruption(error);
        }
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work));
    setRunning(false);
    void refresh();
  }

  const count = (type: Outcome['type']) =>
    [...outcomes.values()].filter((one) => one.type === type).length;
  const hasStarted = outcomes.size > 0 || interruption !== null;
  const settled = [...outcomes].filter(([, { type }]) => type !== 'failed').map(([id]) => id);
  return (
    <Dialog
      title={`Change ${orders.length} ${orders.length === 1 ? 'order' : 'orders'}`}
      onClose={isRunning ? null : () => onClose(settled)}
    >
      <form
        className={form.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (to !== '') void run(to);
        }}
      >
        {!hasStarted && (
          <>
            <label className={form.field}>
              <span>New status</span>
              <select
                required
                value={to}
                onChange={({ target }) => setTo(target.value as OrderStatus)}
              >
                <option value="">Choose</option>
                {possible.map((status) => (
                  <option key={status} value={status}>
                    {status}
                  </option>
                ))}
              </select>
              <small>Orders that someone changed since you saw them are left as they are.</small>
            </label>
            <ReasonField value={reason} onChange={setReason} />
          </>
        )}
        {hasStarted && (
          <p role="status">
            <strong>{count('changed')}</strong> changed,{' '}
            {count('unchanged') > 0 && `${count('unchanged')} had the status already, `}
            {count('changed_meanwhile')} changed by others meanwhile, {failed.length} failed,{' '}
            {left.length} left.
          </p>
        )}
        {interruption !== null && <Failure error={interruption} what="go on" />}
        <Others orders={orders} outcomes={outcomes} />
        <HowTo
          cli={toSetStatus(orders, to, reason)}
          sdk={`await tradepost.orders.update(order.id, ${JSON.stringify(toUpdate(to || 'STATUS', reason))}, { ifMatch: order.etag })`}
        />
        <div className={form.buttons}>
          {isRunning ? (
            <Button
              onClick={() => {
                isStopped.current = true;
              }}
            >
              Stop
            </Button>
          ) : (
            <Button onClick={() => onClose(settled)}>{hasStarted ? 'Close' : 'Back'}</Button>
          )}
          {(isRunning || left.length + failed.length > 0) && (
            <Button look="primary" type="submit" busy={isRunning} disabled={to === ''}>
              {!hasStarted
                ? `Change ${orders.length}`
                : left.length > 0
                  ? 'Continue'
                  : `Try ${failed.length} again`}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

/** Lists the orders that were not changed, and why. */
function Others({
  orders,
  outcomes,
}: {
  orders: readonly SelectedOrder[];
  outcomes: ReadonlyMap<string, Outcome>;
}) {
  const others = orders.flatMap((order) => {
    const outcome = outcomes.get(order.id);
    return outcome === undefined || outcome.type === 'changed' ? [] : [{ order, outcome }];
  });
  if (others.length === 0) return null;
  return (
    <ul className={styles.others}>
      {others.map(({ order, outcome }) => (
        <li key={order.id}>
          <code>{order.id}</code>
          {outcome.type === 'unchanged' ? (
            <span>had the status already</span>
          ) : outcome.type === 'changed_meanwhile' ? (
            <span>
              <Badge tone={getStatusTone(order.status)}>{order.status}</Badge> →{' '}
              <Badge tone={getStatusTone(outcome.now)}>{outcome.now}</Badge> by someone else
            </span>
          ) : (
            <span>
              {outcome.message}
              {outcome.mayHaveBeenApplied && ' It may have been changed: look at it.'}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
