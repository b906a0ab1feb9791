import { firstSchema } from './001-first-schema';
import { webhookStats } from './002-webhook-stats';
import { apiKeysSchema } from './003-api-keys';
import { actors } from './004-actors';
import { endpointSettings } from './005-endpoint-settings';
import { operations } from './006-operations';
import { disabledEndpoints } from './007-disabled-endpoints';
import { accountLimits } from './008-account-limits';
import { accountRetention } from './009-account-retention';

/** In order. `user_version` is the number of migrations that a database has had. Never change a released one. */
export const migrations: readonly string[] = [
  firstSchema,
  webhookStats,
  apiKeysSchema,
  actors,
  endpointSettings,
  operations,
  disabledEndpoints,
  accountLimits,
  accountRetention,
];
