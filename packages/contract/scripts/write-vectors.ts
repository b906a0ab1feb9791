/** Writes the test vectors of this package, `vectors/*.json`. */
import { writeFileSync } from 'node:fs';
import { vectorFiles } from '../src/vectors/vector-files';

for (const [name, build] of Object.entries(vectorFiles)) {
  const file = new URL(`../vectors/${name}`, import.meta.url);
  writeFileSync(file, `${JSON.stringify(build(), null, 2)}\n`);
}
