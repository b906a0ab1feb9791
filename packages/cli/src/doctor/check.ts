import type { ExitReason } from '../exit-codes';
import type { View } from '../output/column';

/** What came of one check. */
export interface Check {
  /** What was checked; the name never changes. */
  check: string;
  /** Whether it is as it should be; null when that cannot be told, or does not matter. */
  ok: boolean | null;
  /** What was found. */
  detail: string;
  /** What to do about it; null when there is nothing to do. With `ok` it is a warning. */
  hint: string | null;
}

/** A check, and what its failure means for the exit code; null when it did not fail. */
export interface Finding extends Check {
  reason: ExitReason | null;
}

/** What was found is as it should be. A hint makes a warning of it. */
export function fine(check: string, detail: string, hint: string | null = null): Finding {
  return { check, ok: true, detail, hint, reason: null };
}

/** What was found must be mended. */
export function failed(
  check: string,
  reason: ExitReason,
  detail: string,
  hint: string | null,
): Finding {
  return { check, ok: false, detail, hint, reason };
}

/** It could not be found out, or is nothing to be right or wrong. */
export function untold(check: string, detail: string): Finding {
  return { check, ok: null, detail, hint: null, reason: null };
}

function resultOf({ ok, hint }: Check): 'ok' | 'warning' | 'FAILED' | '-' {
  if (ok === null) return '-';
  if (!ok) return 'FAILED';
  return hint === null ? 'ok' : 'warning';
}

const looks = { ok: 'green', warning: 'yellow', FAILED: 'red', '-': 'dim' } as const;

/** How checks are shown. People read the hints below the table. */
export const checkView: View<Check> = {
  fields: ['check', 'ok', 'detail', 'hint'],
  columns: [
    { title: 'CHECK', field: 'check', text: ({ check }) => check },
    { title: 'RESULT', field: 'ok', text: resultOf, look: (check) => looks[resultOf(check)] },
    // Whole, also where it is too long for the line: an address with a gap in it tells nothing.
    { title: 'DETAIL', field: 'detail', text: ({ detail }) => detail },
  ],
};

/** The fields of a check, for help pages. */
export const checkShape = `{ ${checkView.fields.join(', ')} }`;
