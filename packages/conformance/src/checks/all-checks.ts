import type { Level } from '../report/report';
import { type CheckId, catalogue } from './catalogue';
import type { Check, Judge } from './check';
import { extensionChecks } from './extensions/run-extensions';
import { judgeAccounts } from './judges/accounts';
import { judgeEvents } from './judges/events';
import { judgeFormats } from './judges/formats';
import { judgeNotifications } from './judges/notifications';
import { judgeOrders } from './judges/orders';
import { judgeRetries } from './judges/retries';
import { judgeSignatures } from './judges/signatures';

const judges: Record<CheckId, Judge> = {
  ...{ ...judgeAccounts, ...judgeFormats, ...judgeOrders, ...judgeNotifications },
  ...{ ...judgeEvents, ...judgeSignatures, ...judgeRetries },
};

/** All checks of the level `core`, in the order of reports. */
export const coreChecks: readonly Check[] = (Object.keys(catalogue) as CheckId[]).map((id) => ({
  ...{ id, ...catalogue[id], judge: judges[id] },
}));

/** The checks of each level, in the order of reports. */
export const checksOf: Record<Level | 'all', readonly Check[]> = {
  core: coreChecks,
  extensions: extensionChecks,
  all: [...coreChecks, ...extensionChecks],
};

/** The checks of both levels. */
export const allChecks = checksOf.all;
