import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildJsonSchemas } from '../../packages/contract/src/json-schemas/json-schema-files';
import { apiPages } from './api-pages';
import { cliPages } from './cli-pages';
import { eventPages, eventPath } from './event-pages';
import { type PageText, type ReferencePage, renderPage } from './markdown';
import type { JsonSchema } from './schema-fields';
import { schemaPages } from './schema-pages';
import { sdkPages } from './sdk-pages';

export type { ReferencePage } from './markdown';

const contract = fileURLToPath(new URL('../../packages/contract/', import.meta.url));

async function writePage(folder: string, page: PageText): Promise<void> {
  const file = join(folder, page.path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, renderPage(page));
}

/**
 * Writes the reference of the contract, the SDK and the command lines as Markdown, with the files that it links to:
 * `schemas/**.json` and `openapi.json`. It needs the build of all packages.
 *
 * @param folder Where to write it. It is created; what is in it stays.
 * @returns The pages in the order of a sidebar.
 */
export async function writeReference(folder: string): Promise<ReferencePage[]> {
  const schemas = new Map(Object.entries(buildJsonSchemas())) as Map<string, JsonSchema>;
  const pages = [
    ...apiPages(),
    ...(await eventPages(schemas)),
    ...schemaPages(schemas, eventPath),
    ...(await sdkPages()),
    ...(await cliPages()),
  ];
  for (const page of pages) await writePage(folder, page);
  await cp(join(contract, 'schemas'), join(folder, 'schemas'), { recursive: true });
  await writeFile(join(folder, 'openapi.json'), await readFile(join(contract, 'openapi.json')));
  return pages.map(({ path, title, group }) => ({ path, title, group }));
}
