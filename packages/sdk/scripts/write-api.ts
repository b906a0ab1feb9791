/** Writes `api/*.d.ts`, the committed report of the public API, from the declarations in `dist`. */
import { writeFileSync } from 'node:fs';
import { entries, renderApi, reportPath } from './render-api';

for (const entry of entries) writeFileSync(reportPath(entry), renderApi(entry));
