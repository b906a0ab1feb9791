import { firstSchema } from './001-first-schema';
import { webhookStats } from './002-webhook-stats';
import { apiKeysIndexes, apiKeysSchema } from './003-api-keys';
import { actors } from './004-actors';
import { endpointSettings } from './005-endpoint-settings';
import { operations } from './006-operations';
import { disabledEndpoints, failingQueues } from './007-disabled-endpoints';
import { accountLimits } from './008-account-limits';
import { accountRetention, accountRetentionIndexes } from './009-account-retention';

/** How the schema changes from one version to the next. */
export type Migration = {
  /** What it does, in a few words that follow "version 2: ". */
  summary: string;
  /** The oldest version of the schema whose servers can use the database after it, and can start on it. */
  compatibleFrom: number;
} & (
  | {
      /** Statements of one transaction. Changes of the tables that it touches wait for its end, so it must be short. */
      transaction: string;
    }
  | {
      /**
       * Statements that run one by one while changes go on: `CREATE [UNIQUE] INDEX CONCURRENTLY …`, and
       * `DROP INDEX CONCURRENTLY IF EXISTS …`. After an interruption, all of them run again.
       */
      indexes: readonly string[];
    }
);

/** In order. The schema version is the number of migrations that a database has had. Never change a released one. */
export const migrations: readonly Migration[] = [
  { summary: 'creates the tables', compatibleFrom: 1, transaction: firstSchema },
  { summary: 'adds statistics of webhooks', compatibleFrom: 1, transaction: webhookStats },
  // Older servers do not see that the key of a session was revoked; they forget sessions after their twelve hours.
  {
    summary: 'adds names of API keys, sessions and sign-in codes',
    compatibleFrom: 1,
    transaction: apiKeysSchema,
  },
  { summary: 'builds an index of sessions', compatibleFrom: 1, indexes: apiKeysIndexes },
  { summary: 'adds who caused each event', compatibleFrom: 1, transaction: actors },
  { summary: 'adds settings of webhooks', compatibleFrom: 1, transaction: endpointSettings },
  {
    summary: 'adds the audit log, and suspended accounts',
    // Older servers do not know that an account is suspended.
    compatibleFrom: 1,
    transaction: operations,
  },
  {
    summary: 'adds when webhooks were disabled',
    compatibleFrom: 1,
    transaction: disabledEndpoints,
  },
  { summary: 'adds an index of failing endpoints', compatibleFrom: 1, indexes: failingQueues },
  {
    summary: 'adds limits of accounts',
    // Older servers apply the defaults.
    compatibleFrom: 1,
    transaction: accountLimits,
  },
  {
    summary: 'adds retention of accounts',
    // Older servers keep data for their own times.
    compatibleFrom: 1,
    transaction: accountRetention,
  },
  {
    summary: 'adds an index of accounts with retention of their own',
    compatibleFrom: 1,
    indexes: accountRetentionIndexes,
  },
];
