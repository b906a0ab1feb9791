import { useEffect, useId, useRef, useState } from 'react';
import { isBackwards, readTime } from '../kernel/filters';
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

/** A period: one that ends now, or one between two times. One that ends before it begins changes nothing. */
export function PeriodFilter({
  name,
  from,
  to,
  onChange,
}: Period & {
  name: string;
  /** @param isTyped Whether it was typed, and not chosen. */
  onChange: (period: Period, isTyped: boolean) => void;
}) {
  const isOwn = to !== undefined || (from !== undefined && !(from in ages));
  const [isOpen, setOpen] = useState(isOwn);
  /** What was typed, while it is no period. */
  const [draft, setDraft] = useState<Period | null>(null);
  const whyId = useId();
  const typed = draft ?? { from, to };
  const whyNot = isBackwards(typed) ? whyId : undefined;
  function type(change: Period) {
    const period = { ...typed, ...change };
    setDraft(isBackwards(period) ? period : null);
    if (!isBackwards(period)) onChange(period, true);
  }
  return (
    <>
      <SelectFilter
        name={name}
        value={isOpen || isOwn ? 'own' : from}
        choices={[['', 'Any time'], ...Object.entries(ages), ['own', 'Between …']]}
        onChange={(value) => {
          setOpen(value === 'own');
          setDraft(null);
          if (value !== 'own') onChange({ from: value, to: undefined }, false);
        }}
      />
      {(isOpen || isOwn) && (
        <>
          <TimeFilter
            name="From"
            value={typed.from}
            whyNot={whyNot}
            onChange={(value) => type({ from: value })}
          />
          <TimeFilter
            name="Until"
            value={typed.to}
            whyNot={whyNot}
            onChange={(value) => type({ to: value })}
          />
          {whyNot !== undefined && (
            <span id={whyNot} className={styles.problem} role="alert">
              Until is before From: choose a later one.
            </span>
          )}
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
  whyNot,
  onChange,
}: {
  name: string;
  value: string | undefined;
  /** The ID of the element that says what is wrong with the period. */
  whyNot: string | undefined;
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
        aria-invalid={whyNot !== undefined}
        aria-describedby={whyNot}
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
