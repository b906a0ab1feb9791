/** Writes `openapi.json`, the OpenAPI document that this package ships, from the contract. */
import { writeFileSync } from 'node:fs';
import { contract } from '../src/contract';
import { buildOpenApiDocument } from '../src/openapi/openapi-document';

const file = new URL('../openapi.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(buildOpenApiDocument(contract), null, 2)}\n`);
