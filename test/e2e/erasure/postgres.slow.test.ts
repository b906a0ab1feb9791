import { usePostgres } from '../../helpers/start-postgres';
import { describeErasure } from './describe-erasure';

const createDatabase = await usePostgres();

describeErasure(async () => {
  const { url, seed } = await createDatabase();
  return { database: url, seed };
});
