import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';

interface Look {
  /** `plain` for most; `primary` once on a page; `danger` for what cannot be undone; `quiet` inside rows. */
  look?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** While it works, it cannot be pressed again. */
  busy?: boolean;
  icon?: ReactNode;
}

/** A button. */
export function Button({
  look = 'plain',
  busy = false,
  icon,
  children,
  className = '',
  onClick,
  ...props
}: Look & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...props}
      className={`${styles.button} ${styles[look] ?? ''} ${className}`}
      aria-busy={busy || undefined}
      // A disabled button would lose the focus.
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {icon}
      {children}
    </button>
  );
}
