import { join } from 'node:path';
import { forTest } from '../../helpers/for-test';
import { seedDatabase } from '../../helpers/seed';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { describeErasure } from './describe-erasure';

describeErasure(async () => {
  const folder = await forTest(temporaryFolder());
  const database = join(folder.path, 'tradepost.db');
  return { database, seed: await seedDatabase(database) };
});
