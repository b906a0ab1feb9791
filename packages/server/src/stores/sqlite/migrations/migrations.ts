import { firstSchema } from './001-first-schema';
import { actors } from './004-actors';

/** In order. `user_version` is the number of migrations that a database has had. Never change a released one. */
export const migrations: readonly string[] = [firstSchema, actors];
