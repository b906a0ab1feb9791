import { useEffect, useRef, useState } from 'react';
import { readTime } from '../kernel/filters';
import { usePreferences } from '../kernel/preferences';
import { SelectFilter } from './filters';
import styles from './filters.module.css';

/** How long ago a period may begin. It moves on: who opens the address later sees what is new then. */
const ages = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};

interface Period {
  from?: string | undefined;
  to?: string | undefined;
}

/** A period: one that ends now, or one between two times. */
export function PeriodFilter({
  name,
  from,
  to,
  onChange,
}: Period & { name: string; onChange: (period: Period) => void }) {
  const isOwn = to !== undefined || (from !== undefined && !(from in ages));
  const [isOpen, setOpen] = useState(isOwn);
  return (
    <>
      <SelectFilter
        name={name}
        value={isOpen || isOwn ? 'own' : from}
        choices={[['', 'Any time'], ...Object.entries(ages), ['own', 'Between …']]}
        onChange={(value) => {
          setOpen(value === 'own');
          if (value !== 'own') onChange({ from: value, to: undefined });
        }}
      />
      {(isOpen || isOwn) && (
        <>
          <TimeFilter
            name="From"
            value={from}
            onChange={(value) => onChange({ from: value, to })}
          />
          <TimeFilter name="Until" value={to} onChange={(value) => onChange({ from, to: value })} />
        </>
      )}
    </>
  );
}

/** The limits of a field. A half-typed year, such as 0002, is below them. */
const first = '2000-01-01T00:00';
const last = '9999-12-31T23:59';

/** A time, in the zone in which times are shown: that of the browser, or UTC. */
function TimeFilter({
  name,
  value,
  onChange,
}: {
  name: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const isUtc = usePreferences().times === 'utc';
  const time = value === undefined ? null : readTime(value, Date.now());
  const shown = time === null ? '' : toField(time, isUtc);
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (ref.current !== null) ref.current.value = shown;
  }, [shown]);
  return (
    <label className={styles.filter}>
      <span>
        {name}
        {isUtc && ', UTC'}
      </span>
      <input
        ref={ref}
        type="datetime-local"
        defaultValue={shown}
        min={first}
        max={last}
        onChange={({ target }) => {
          // Not while a part is missing or half typed.
          if (!target.validity.valid) return;
          if (target.value === '') {
            onChange(undefined);
            return;
          }
          const chosen = new Date(isUtc ? `${target.value}Z` : target.value);
          onChange(chosen.toISOString().replace('.000Z', 'Z'));
        }}
      />
    </label>
  );
}

/** Writes a time as a field of the type `datetime-local` has it, to the minute; nothing for a time that the field does not take. */
function toField(time: Date, isUtc: boolean): string {
  const shift = isUtc ? 0 : time.getTimezoneOffset() * 60_000;
  const text = new Date(time.getTime() - shift).toISOString().slice(0, 16);
  return text >= first && text <= last ? text : '';
}
