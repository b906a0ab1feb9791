import { type OrderStatus, orderStatuses } from '@tradepost/sdk';
import type { OutcomeFailure, OutcomeKind } from '../bulk/outcome';
import type { View } from '../output/column';
import type { Look } from '../output/style';

/** What orders are to become, and on which condition. */
export interface StatusChange {
  /** The status to move them to. */
  status: OrderStatus;
  /** Only orders in this status are moved; null for any. */
  ifStatus: OrderStatus | null;
}

/** What came of one order. */
export interface StatusOutcome extends OutcomeFailure {
  /** The order, `ord_<id>`. */
  id: string;
  /** What came of it. */
  outcome: OutcomeKind;
  /** The status that it was found in; null when it was not looked at before. */
  from: string | null;
  /** The status that it is in now, or would be; null when that is not known. */
  to: string | null;
}

/** The code of an order of which it is not known whether it was moved. */
export const inDoubtCode = 'in_doubt';

/** Whether a text is a status that an order can be moved to. */
export function isOrderStatus(text: unknown): text is OrderStatus {
  return orderStatuses.some((status) => status === text);
}

const looks: Partial<Record<OutcomeKind, Look>> = {
  done: 'green',
  unchanged: 'dim',
  'would-change': 'cyan',
  skipped: 'yellow',
  failed: 'red',
  untried: 'yellow',
};

/** How what came of orders is shown. */
export const statusOutcomeView: View<StatusOutcome> = {
  fields: ['id', 'outcome', 'from', 'to', 'code', 'message', 'requestId'],
  columns: [
    { title: 'ID', field: 'id', text: ({ id }) => id },
    { title: 'FROM', field: 'from', text: ({ from }) => from ?? '-' },
    { title: 'TO', field: 'to', text: ({ to }) => to ?? '-' },
    {
      title: 'OUTCOME',
      field: 'outcome',
      text: ({ outcome }) => outcome,
      look: ({ outcome }) => looks[outcome] ?? null,
    },
    { title: 'WHY', field: 'message', text: ({ message }) => message ?? '', whenNarrow: 'shorten' },
  ],
};

/** The fields of what came of an order, for help pages. */
export const statusOutcomeShape = `{ ${statusOutcomeView.fields.join(', ')} }`;
