import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterEach, expect } from 'vitest';
import { useProxy } from '../helpers/start-server-process';
import { type FindViolations, loadPrism } from './prism';
import { startPrismProxy } from './start-prism-proxy';

/**
 * Vitest's setup file: the tests reach their servers through proxies, and a test fails if Prism finds
 * anything in its requests or responses that the OpenAPI document does not describe.
 */
const violations: string[] = [];
let prism: Promise<FindViolations> | undefined;

async function readDocument(): Promise<object> {
  const file = createRequire(import.meta.url).resolve('@tradepost/contract/openapi.json');
  return JSON.parse(await readFile(file, 'utf8'));
}

useProxy(async (target) => {
  prism ??= readDocument().then(loadPrism);
  return startPrismProxy(target, await prism, (found) => violations.push(found));
});

afterEach(() => {
  expect(violations.splice(0)).toEqual([]);
});
