import { join } from 'node:path';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { makeTempFolder } from '../helpers/temp-folder';
import { describeStore } from './store-conformance';

describeStore('the SQLite store', () => {
  const folder = makeTempFolder();
  const file = join(folder.path, 'tradepost.db');
  return { open: () => openSqliteStore(file), remove: folder.remove };
});
