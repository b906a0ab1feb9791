import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type StatsWindow, statsWindows, type WebhookStats } from '@tradepost/sdk';
import { useMemo } from 'react';
import { useClient } from '../kernel/client';
import { every, healthMs } from '../kernel/queries';
import { DataTable } from '../ui/data-table';
import { HowTo } from '../ui/how-to';
import { LaterChart } from '../ui/later-chart';
import { Loaded } from '../ui/loaded';
import { Panel } from '../ui/page';
import { formatDuration, Time } from '../ui/time';
import styles from './health.module.css';
import { formatPercent, getSuccessRate } from './webhook-words';

const windowWords: Record<StatsWindow, string> = {
  '1h': 'The last hour',
  '24h': 'The last 24 hours',
  '7d': 'The last 7 days',
};

/** How a webhook fared over time. */
export function WebhookHealth({
  id,
  window,
  onWindow,
}: {
  id: string;
  window: StatsWindow;
  onWindow: (window: StatsWindow) => void;
}) {
  const client = useClient();
  const query = useQuery({
    queryKey: ['webhooks', 'stats', id, window],
    queryFn: ({ signal }) => client.webhooks.stats(id, { window }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: every(healthMs),
  });
  return (
    <>
      <fieldset className={styles.windows}>
        <legend className="only-read">Period</legend>
        {statsWindows.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="window"
              checked={one === window}
              onChange={() => onWindow(one)}
            />{' '}
            {windowWords[one]}
          </label>
        ))}
      </fieldset>
      <Loaded query={query} what="the statistics">
        {(stats) => <Figures stats={stats} />}
      </Loaded>
      <HowTo
        cli={['webhooks', 'stats', id, '--window', window]}
        sdk={`await tradepost.webhooks.stats('${id}', { window: '${window}' })`}
      />
    </>
  );
}

function Figures({ stats }: { stats: WebhookStats }) {
  const { totals, points } = stats;
  const times = useMemo(() => points.map(({ start }) => Date.parse(start)), [points]);
  const attempts = useMemo(() => {
    const failed = points.map(({ attempts: { '2xx': _, ...others } }) =>
      Object.values(others).reduce((sum, count) => sum + count, 0),
    );
    return [
      // All of them behind those that failed: what is seen of the first succeeded.
      {
        name: 'Succeeded',
        color: '--good',
        values: points.map(({ attempts }, at) => attempts['2xx'] + (failed[at] ?? 0)),
        bars: true,
        isSecond: true,
      },
      { name: 'Failed', color: '--bad', values: failed, bars: true },
    ];
  }, [points]);
  const latency = useMemo(
    () => [
      {
        name: '95 % within',
        color: '--info',
        values: points.map((one) => one.latencyMs?.p95 ?? null),
      },
      {
        name: 'Half within',
        color: '--accent',
        values: points.map((one) => one.latencyMs?.p50 ?? null),
        isSecond: true,
      },
    ],
    [points],
  );
  return (
    <>
      <dl className={styles.totals}>
        <Total name="Attempts that succeeded">{formatPercent(getSuccessRate(totals))}</Total>
        <Total name="Deliveries delivered">{totals.delivered.toLocaleString('en')}</Total>
        <Total name="Deliveries failed for good">{totals.failed.toLocaleString('en')}</Total>
        <Total name="Half respond within">
          {totals.latencyMs === null ? 'none' : formatDuration(totals.latencyMs.p50)}
        </Total>
        <Total name="95 % respond within">
          {totals.latencyMs === null ? 'none' : formatDuration(totals.latencyMs.p95)}
        </Total>
      </dl>
      <div className={styles.charts}>
        <Panel title="Attempts, replays and tests included">
          <LaterChart times={times} series={attempts} />
        </Panel>
        <Panel title="Response time">
          <LaterChart times={times} series={latency} format={formatDuration} />
        </Panel>
      </div>
      <StatsTable stats={stats} />
    </>
  );
}

function Total({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const classes = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;
const writeClass = (name: string) => (name === 'none' ? 'No response' : name);

/** The same in numbers: only times at which something happened, the newest first. */
function StatsTable({ stats: { points, bucketSeconds } }: { stats: WebhookStats }) {
  const rows = points
    .filter(({ delivered, failed, attempts }) =>
      [delivered, failed, ...Object.values(attempts)].some((count) => count > 0),
    )
    .toReversed();
  return (
    <DataTable
      name={`In numbers, by ${formatDuration(bucketSeconds * 1_000)}`}
      columns={[
        'From',
        'Delivered',
        'Failed',
        ...classes.map(writeClass),
        'Half within',
        '95 % within',
      ]}
      rows={rows.map(({ start, delivered, failed, attempts, latencyMs }) => ({
        key: start,
        cells: [
          <Time key="start" value={start} />,
          delivered.toLocaleString('en'),
          failed.toLocaleString('en'),
          ...classes.map((name) => attempts[name].toLocaleString('en')),
          latencyMs === null ? '' : formatDuration(latencyMs.p50),
          latencyMs === null ? '' : formatDuration(latencyMs.p95),
        ],
      }))}
    />
  );
}
