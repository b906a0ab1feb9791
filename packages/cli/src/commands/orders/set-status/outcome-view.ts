import { type OrderStatus, orderStatuses } from '@tradepost/sdk';
import type { OutcomeFailure, OutcomeKind } from '../../../bulk/run-bulk';
import type { View } from '../../../output/format';
import type { StyleName } from '../../../output/text';

export interface StatusChange {
  status: OrderStatus;
  /** Only orders in this status are moved; null for any. */
  ifStatus: OrderStatus | null;
}

export interface StatusOutcome extends OutcomeFailure {
  id: string;
  outcome: OutcomeKind;
  /** The status before; null if it was not read. */
  from: string | null;
  /** The status after; null if unknown. */
  to: string | null;
}

/** The code of an order whose status is unknown after a lost response. */
export const inDoubtCode = 'in_doubt';

export function isOrderStatus(value: unknown): value is OrderStatus {
  return orderStatuses.some((status) => status === value);
}

const styles: Partial<Record<OutcomeKind, StyleName>> = {
  updated: 'green',
  unchanged: 'dim',
  would_change: 'cyan',
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
    { title: 'OUTCOME', field: 'outcome', style: ({ outcome }) => styles[outcome] ?? null },
    { title: 'WHY', field: 'message', text: ({ message }) => message ?? '', whenNarrow: 'shorten' },
  ],
};
