import type { OutcomeKind } from '../../../bulk/outcome';
import type { StatusOutcome } from '../../../journal/status-change';
import type { StyleName } from '../../../output/text';
import type { View } from '../../../output/view';

export const outcomeStyles: Partial<Record<OutcomeKind, StyleName>> = {
  updated: 'green',
  unchanged: 'dim',
  would_change: 'cyan',
  would_fail: 'red',
  skipped: 'yellow',
  failed: 'red',
  not_attempted: 'yellow',
};

export const statusOutcomeView: View<StatusOutcome> = {
  fields: ['id', 'outcome', 'from', 'to', 'code', 'message', 'requestId'],
  columns: [
    { title: 'ID', field: 'id' },
    { title: 'FROM', field: 'from' },
    { title: 'TO', field: 'to' },
    { title: 'OUTCOME', field: 'outcome', style: ({ outcome }) => outcomeStyles[outcome] ?? null },
    { title: 'WHY', field: 'message', text: ({ message }) => message ?? '', whenNarrow: 'wrap' },
  ],
};
