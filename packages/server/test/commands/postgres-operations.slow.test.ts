import { afterAll } from 'vitest';
import { startPostgres } from '../helpers/postgres';
import { describeOperations } from './operations';

const postgres = await startPostgres();
afterAll(postgres.stop);

describeOperations(async () => (await postgres.createDatabase()).url);
