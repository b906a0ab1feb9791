import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createResource, type Resource } from '../static/resource';

/** The OpenAPI documents that are served, and the files of the contract that they come from. */
export const openApiDocuments = {
  '/openapi.json': '@tradepost/contract/openapi.json',
  '/openapi-3.0.json': '@tradepost/contract/openapi-3.0.json',
  '/openapi-tolerant.json': '@tradepost/contract/openapi-tolerant.json',
} as const;

/** The address of this server as its clients see it: where the document is, whatever proxies are before it. */
const servers = [{ url: '.', description: 'This server.' }];

/** Reads a document of the contract. What is served differs from the file only in `servers`. */
export async function readOpenApiDocument(file: string): Promise<Resource> {
  const text = await readFile(createRequire(import.meta.url).resolve(file), 'utf8');
  const document = { ...JSON.parse(text), servers };
  return createResource(Buffer.from(JSON.stringify(document)), {
    contentType: 'application/json; charset=utf-8',
    cacheControl: 'public, max-age=300',
  });
}
