/** Writes the JSON Schemas that this package ships, `schemas/`, from the contract. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { buildJsonSchemas } from '../src/json-schemas/json-schema-files';

const folder = new URL('../schemas/', import.meta.url);
rmSync(folder, { recursive: true, force: true });
for (const name of ['events', 'records']) mkdirSync(new URL(name, folder), { recursive: true });
for (const [name, schema] of Object.entries(buildJsonSchemas())) {
  writeFileSync(new URL(name, folder), `${JSON.stringify(schema, null, 2)}\n`);
}
