import { firstSchema } from './001-first-schema';
import { webhookStats } from './002-webhook-stats';
import { actors } from './004-actors';
import { endpointSettings } from './005-endpoint-settings';
import { disabledEndpoints } from './007-disabled-endpoints';

/** In order. `user_version` is the number of migrations that a database has had. Never change a released one. */
export const migrations: readonly string[] = [
  firstSchema,
  webhookStats,
  actors,
  endpointSettings,
  disabledEndpoints,
];
