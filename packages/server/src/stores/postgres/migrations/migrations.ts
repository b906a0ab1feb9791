import { firstSchema } from './001-first-schema';

/** In order. The schema version is the number of migrations that a database has had. Never change a released one. */
export const migrations: readonly string[] = [firstSchema];
