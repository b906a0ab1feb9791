import type { ReactNode } from 'react';
import styles from './badge.module.css';

/** What a badge means, beside what it says. */
export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'plain';

/** A word about a state. It says what its colour says. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>;
}
