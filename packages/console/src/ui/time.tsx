import { useSyncExternalStore } from 'react';
import { formatAgo, getNow, second, units, watchNow } from '../kernel/now';
import { type Preferences, usePreferences } from '../kernel/preferences';

const local = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
});

/** Writes a time in UTC, to the second. */
export function formatUtc(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
}

function format(time: string, mode: Preferences['times'], now: number): string {
  if (mode === 'utc') return formatUtc(time);
  const date = new Date(time);
  if (mode === 'local') return local.format(date);
  return formatAgo(date.getTime(), now);
}

/** Returns the current time in milliseconds, to the second, and renders again when it changes. */
export function useNow(): number {
  return useSyncExternalStore(watchNow, getNow);
}

function RelativeTime({ value }: { value: string }) {
  return formatAgo(Date.parse(value), useNow());
}

/** Shows a time as the person prefers it; in UTC when one points at it. */
export function Time({ value }: { value: string }) {
  const { times } = usePreferences();
  return (
    <time dateTime={value} title={formatUtc(value)}>
      {times === 'relative' ? <RelativeTime value={value} /> : format(value, times, getNow())}
    </time>
  );
}

/** Shows a time at which something is due: once it has come, that it is now. */
export function DueTime({ value }: { value: string }) {
  const isDue = Date.parse(value) <= useNow();
  return isDue ? (
    <time dateTime={value} title={formatUtc(value)}>
      now
    </time>
  ) : (
    <Time value={value} />
  );
}

const isoTime = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** Shows a sentence whose times are in ISO 8601; each is shown as the person prefers times. */
export function TextWithTimes({ text }: { text: string }) {
  const { times } = usePreferences();
  return text.split(isoTime).map((part, index) => {
    // Those at odd places are what the expression found.
    if (index % 2 === 0) return part;
    const key = `${index} ${part}`;
    if (times !== 'relative') return <Time key={key} value={part} />;
    // "At in 5 minutes" is no English.
    return (
      <time key={key} dateTime={part} title={formatUtc(part)}>
        {local.format(new Date(part))} (<RelativeTime value={part} />)
      </time>
    );
  });
}

/** Writes a duration in milliseconds, in two units at most. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < second) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 10 * second) return `${(milliseconds / second).toFixed(1)} s`;
  const parts = units
    .map(([length, unit], index) => {
      const above = units[index - 1]?.[0] ?? Number.POSITIVE_INFINITY;
      return [Math.floor((milliseconds % above) / length), unit[0]] as const;
    })
    .filter(([count]) => count > 0);
  return parts
    .slice(0, 2)
    .map(([count, unit]) => `${count} ${unit === 'm' ? 'min' : unit}`)
    .join(' ');
}
