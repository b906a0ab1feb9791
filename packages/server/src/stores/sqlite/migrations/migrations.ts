import { firstSchema } from './001-first-schema';
import { operations } from './006-operations';

/** In order. `user_version` is the number of migrations that a database has had. Never change a released one. */
export const migrations: readonly string[] = [firstSchema, operations];
