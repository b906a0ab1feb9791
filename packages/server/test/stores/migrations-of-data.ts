import { migrateFailing } from './disabling-migration';
import { migrateWithData } from './stats-migration';

/** What becomes of the data of a store with the first schema when it is migrated. */
export const migrationsOfData = [
  ['gets statistics, which count from then on', migrateWithData],
  ['keeps how long endpoints have failed, which are disabled by it', migrateFailing],
] as const;
