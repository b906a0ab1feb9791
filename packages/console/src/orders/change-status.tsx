import { useMutation } from '@tanstack/react-query';
import { type OrderStatus, PreconditionFailedError } from '@tradepost/sdk';
import { useState } from 'react';
import { useClient } from '../kernel/client';
import { useKeys } from '../kernel/keys';
import { useRefresh } from '../kernel/queries';
import { useMayWrite, useSession } from '../kernel/session';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import form from '../ui/form.module.css';
import { HowTo } from '../ui/how-to';
import { Failure } from '../ui/notices';
import { getNextStatuses, moveWords, toSetStatus, toUpdate } from './order-words';
import { ReasonField } from './reason-field';
import type { ShownOrder } from './shown-order';

/** Whether this session may change orders: the service rejects changes by buyers and by read-only keys. */
export function useMayChangeOrders(): boolean {
  const kind = useSession()?.account?.kind;
  return useMayWrite() && kind !== 'buyer';
}

/** Buttons that move an order to its next statuses. */
export function ChangeStatus({ order }: { order: ShownOrder }) {
  const [to, setTo] = useState<OrderStatus | null>(null);
  const mayChange = useMayChangeOrders();
  const next = mayChange ? getNextStatuses(order.status) : [];
  useKeys({ c: () => setTo(next[0] ?? null) });
  return (
    <>
      {next.map((status, index) => (
        <Button
          key={status}
          look={status === 'cancelled' ? 'danger' : index === 0 ? 'primary' : 'plain'}
          onClick={() => setTo(status)}
        >
          {moveWords[status]}
        </Button>
      ))}
      {to !== null && <ChangeDialog order={order} to={to} onClose={() => setTo(null)} />}
    </>
  );
}

/** What is decided is about the order as it was when the dialog was opened. */
function ChangeDialog({
  order: current,
  to,
  onClose,
}: {
  order: ShownOrder;
  to: OrderStatus;
  onClose: () => void;
}) {
  const client = useClient();
  const [order] = useState(current);
  const [reason, setReason] = useState('');
  const params = toUpdate(to, reason);
  const change = useMutation({
    mutationFn: () =>
      client.orders.update(order.id, params, order.etag === null ? {} : { ifMatch: order.etag }),
    onSettled: useRefresh('orders', 'timeline', 'summary'),
    onSuccess: onClose,
  });
  const isOutdated =
    change.error instanceof PreconditionFailedError ||
    current.etag !== order.etag ||
    current.status !== order.status;
  return (
    <Dialog title={`${moveWords[to]}?`} onClose={onClose}>
      <form
        className={form.form}
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <p>
          The order {isOutdated ? 'was' : 'is'} <strong>{order.status}</strong>
          {!isOutdated && (
            <>
              {' '}
              and becomes <strong>{to}</strong>. All parties are notified
            </>
          )}
          .
        </p>
        <ReasonField value={reason} onChange={setReason} />
        {isOutdated ? (
          <p className={form.problem} role="alert">
            The order changed meanwhile. Close this, look at it, and decide again.
          </p>
        ) : (
          change.isError && <Failure error={change.error} what="change the order" />
        )}
        <HowTo
          cli={toSetStatus([order], to, reason)}
          sdk={`await tradepost.orders.update('${order.id}', ${JSON.stringify(params)}${order.etag === null ? '' : `, { ifMatch: ${JSON.stringify(order.etag)} }`})`}
        />
        <div className={form.buttons}>
          <Button onClick={onClose}>Back</Button>
          <Button
            look={to === 'cancelled' ? 'danger' : 'primary'}
            type="submit"
            busy={change.isPending}
            disabled={isOutdated}
          >
            {moveWords[to]}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
