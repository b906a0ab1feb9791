import type { DeliveryListParams, ReplayAllParams } from '@tradepost/sdk';
import { useEffect, useId, useRef, useState } from 'react';
import { useClient } from '../kernel/client';
import { useExtension } from '../kernel/extensions';
import { toOptions, toParams } from '../kernel/filters';
import { useRefresh } from '../kernel/queries';
import { useMayWrite } from '../kernel/session';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import form from '../ui/form.module.css';
import { HowTo, type HowToLines } from '../ui/how-to';
import { Failure, Loading } from '../ui/notices';
import { type DeliveryFilters, deliveryFields } from './delivery-filters';
import styles from './replay-all.module.css';

/** How many deliveries are counted before a replay. */
const maxCount = 1_000;
/** How many are queued by one request: a person sees progress, and a stop soon takes effect. */
const step = 100;

/** A button that replays all deliveries to a webhook that match the filters. */
export function ReplayAll({ filters }: { filters: DeliveryFilters }) {
  const [isOpen, setOpen] = useState(false);
  const isThere = useExtension('deliveries.replays');
  const mayWrite = useMayWrite();
  const whyId = useId();
  if (!isThere || !mayWrite) return null;
  const { webhook, order, event, state } = filters;
  const isPossible =
    webhook !== undefined &&
    order === undefined &&
    event === undefined &&
    (state === 'failed' || state === 'pending');
  return (
    <>
      {!isPossible && (
        <small id={whyId} className={styles.why}>
          To replay all that match, filter by one webhook and the state failed or pending, and not
          by an order or an event.
        </small>
      )}
      <Button
        disabled={!isPossible}
        aria-describedby={isPossible ? undefined : whyId}
        onClick={() => setOpen(true)}
      >
        Replay all that match
      </Button>
      {isOpen && webhook !== undefined && (
        <ReplayDialog webhookId={webhook} filters={filters} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

/** How far a replay is. */
type Progress =
  | { state: 'counting' }
  | { state: 'count_failed'; error: unknown }
  | { state: 'counted'; count: number; atLeast: boolean }
  | { state: 'running' | 'stopped' | 'done'; replayed: number; skipped: number }
  | { state: 'failed'; replayed: number; skipped: number; error: unknown };

function ReplayDialog({
  webhookId,
  filters,
  onClose,
}: {
  webhookId: string;
  filters: DeliveryFilters;
  onClose: () => void;
}) {
  const client = useClient();
  const refresh = useRefresh('deliveries', 'timeline', 'webhooks');
  const [progress, setProgress] = useState<Progress>({ state: 'counting' });
  const isStopped = useRef(false);
  // Kept after a stop or a failure, so that nothing is queued twice. After signing in again, a new iteration begins at the cursor.
  const steps = useRef<ReturnType<typeof client.webhooks.replayAll> | null>(null);
  const stepsOf = useRef(client);
  const cursor = useRef<string | null>(null);
  // What matched when the dialog was opened: times that are ages do not move on.
  const [{ webhookId: _, ...params }] = useState(
    () => toParams(deliveryFields, filters) as DeliveryListParams & ReplayAllParams,
  );

  const isCounting = progress.state === 'counting';
  useEffect(() => {
    if (!isCounting) return;
    const gone = new AbortController();
    void count(gone.signal);
    return () => gone.abort();
  }, [isCounting]);
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );

  async function count(signal: AbortSignal) {
    try {
      const { length } = await client.deliveries
        .list({ ...params, webhookId }, { signal })
        .toArray({ limit: maxCount + 1 });
      if (signal.aborted) return;
      const atLeast = length > maxCount;
      setProgress({ state: 'counted', count: Math.min(length, maxCount), atLeast });
    } catch (error) {
      if (!signal.aborted) setProgress({ state: 'count_failed', error });
    }
  }

  async function run() {
    isStopped.current = false;
    let { replayed, skipped } = 'replayed' in progress ? progress : { replayed: 0, skipped: 0 };
    setProgress({ state: 'running', replayed, skipped });
    if (steps.current === null || stepsOf.current !== client) {
      stepsOf.current = client;
      steps.current = client.webhooks.replayAll(webhookId, {
        ...params,
        limit: step,
        ...(cursor.current !== null && { cursor: cursor.current }),
      });
    }
    try {
      while (!isStopped.current) {
        const next = await steps.current.next();
        if (next.done) {
          setProgress({ state: 'done', replayed, skipped });
          return;
        }
        cursor.current = next.value.nextCursor;
        replayed += next.value.replayed;
        skipped += next.value.skipped;
        if (cursor.current === null) {
          // Without a cursor, another iteration would begin at the first delivery.
          setProgress({ state: 'done', replayed, skipped });
          return;
        }
        if (!isStopped.current) setProgress({ state: 'running', replayed, skipped });
      }
      setProgress({ state: 'stopped', replayed, skipped });
    } catch (error) {
      setProgress({ state: 'failed', replayed, skipped, error });
    } finally {
      void refresh();
    }
  }

  const isRunning = progress.state === 'running';
  return (
    <Dialog title="Replay all that match" onClose={isRunning ? null : onClose}>
      <div className={form.form}>
        {isCounting && <Loading what="how many match" />}
        {progress.state === 'counted' && (
          <p>
            {progress.count.toLocaleString('en')}
            {progress.atLeast ? ' or more' : ''}{' '}
            {progress.count === 1 ? 'delivery matches' : 'deliveries match'}. Each is sent again
            with the same event ID, so a receiver that knows it already ignores it.
          </p>
        )}
        {'replayed' in progress && (
          <p role="status">
            <strong>{progress.replayed.toLocaleString('en')}</strong> queued
            {progress.skipped > 0 && `, ${progress.skipped} left out because one is in flight`}
            {progress.state === 'stopped' && '. Stopped: what is queued is sent'}
            {progress.state === 'done' && '. Done'}.
          </p>
        )}
        {progress.state === 'count_failed' && (
          <Failure
            error={progress.error}
            what="count how many match"
            onRetry={() => setProgress({ state: 'counting' })}
          />
        )}
        {progress.state === 'failed' && <Failure error={progress.error} what="replay them" />}
        <HowTo
          cli={toReplay(webhookId, filters)}
          sdk={`for await (const step of tradepost.webhooks.replayAll('${webhookId}', ${JSON.stringify(params)})) …`}
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
            <Button onClick={onClose}>Close</Button>
          )}
          {progress.state !== 'done' && (
            <Button
              look="primary"
              busy={isRunning}
              disabled={
                isCounting ||
                progress.state === 'count_failed' ||
                (progress.state === 'counted' && progress.count === 0)
              }
              onClick={() => void run()}
            >
              {'replayed' in progress && progress.replayed > 0 ? 'Continue' : 'Replay'}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/** The same replay as a command. */
function toReplay(
  webhookId: string,
  { state, webhook: _, ...others }: DeliveryFilters,
): HowToLines['cli'] {
  const options = toOptions(deliveryFields, others);
  if (state === 'pending') {
    return options.length === 0
      ? ['webhooks', 'retry', webhookId]
      : { none: 'none does the same: `tradepost webhooks retry` takes no filters' };
  }
  return ['webhooks', 'replay', '--failed', '--webhook', webhookId, ...options];
}
