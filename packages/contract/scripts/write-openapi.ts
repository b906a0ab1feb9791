/** Writes `openapi.json` and `openapi-3.0.json`, the OpenAPI documents that this package ships, from the contract. */
import { writeFileSync } from 'node:fs';
import { contract } from '../src/contract';
import { buildOpenApiDocument } from '../src/openapi/openapi-document';

for (const [name, version] of [
  ['openapi.json', '3.1.0'],
  ['openapi-3.0.json', '3.0.3'],
] as const) {
  const document = buildOpenApiDocument(contract, version);
  writeFileSync(new URL(`../${name}`, import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
}
