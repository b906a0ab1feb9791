/** Writes the OpenAPI documents that this package ships, from the contract. */
import { writeFileSync } from 'node:fs';
import { contract } from '../src/contract';
import { openApiFiles } from '../src/openapi/openapi-files';

for (const [name, build] of Object.entries(openApiFiles)) {
  const text = `${JSON.stringify(build(contract), null, 2)}\n`;
  writeFileSync(new URL(`../${name}`, import.meta.url), text);
}
