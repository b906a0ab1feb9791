import type { ReactNode } from 'react';
import styles from './filters.module.css';

/**
 * The filters of a list. They are in its address, so that a link shows the same list. What is chosen is a step of the history, so Back
 * leads to the filters before; what is typed replaces the step.
 */
export function Filters({ what, children }: { what: string; children: ReactNode }) {
  return (
    <search className={styles.filters} aria-label={`Filter ${what}`}>
      {children}
    </search>
  );
}

/** One choice of several, or all. */
export function SelectFilter({
  name,
  value,
  choices,
  onChange,
}: {
  name: string;
  value: string | undefined;
  /** What each value is called. */
  choices: readonly (readonly [value: string, text: string])[];
  onChange: (value: string | undefined) => void;
}) {
  return (
    <label className={styles.filter}>
      <span>{name}</span>
      <select value={value ?? ''} onChange={({ target }) => onChange(target.value || undefined)}>
        {choices.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A text, such as an ID. It takes effect with Enter, and when the field is left. */
export function TextFilter({
  name,
  value,
  placeholder,
  onChange,
}: {
  name: string;
  value: string | undefined;
  placeholder?: string;
  onChange: (value: string | undefined) => void;
}) {
  return (
    <label className={styles.filter}>
      <span>{name}</span>
      <input
        // Typed texts are kept until they take effect; a new address replaces them.
        key={value}
        type="search"
        defaultValue={value}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        data-filter
        onBlur={({ target }) => {
          if (target.value.trim() !== (value ?? '')) onChange(target.value.trim() || undefined);
        }}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') onChange(currentTarget.value.trim() || undefined);
          if (key !== 'Escape') return;
          // Keys are shortcuts again.
          currentTarget.value = value ?? '';
          currentTarget.blur();
        }}
      />
    </label>
  );
}
