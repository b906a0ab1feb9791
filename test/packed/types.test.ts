import { cp, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, test } from 'vitest';
import { runProcess } from '../helpers/start-process';

const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

/** Strict settings. The SDK's declarations are checked too. */
const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: 'ES2022',
  noEmit: true,
};

/** Compiles programs in the project that has the SDK. Returns the errors of the compiler. */
async function compile(
  folder: string,
  programs: Record<string, string>,
  settings: object,
): Promise<string> {
  const cwd = join(inject('consumer'), folder);
  await mkdir(cwd, { recursive: true });
  for (const [name, program] of Object.entries(programs)) {
    await cp(fileURLToPath(new URL(`programs/${program}.ts`, import.meta.url)), join(cwd, name));
  }
  const compilerOptions = { ...strict, ...settings };
  const files = Object.keys(programs);
  await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { code, stdout, stderr } = await runProcess(process.execPath, [compiler], { cwd });
  return code === 0 ? '' : `${stdout}${stderr}`;
}

describe('the declarations compile, as ES module and as CommonJS,', () => {
  const all = (extension: string) => ({
    [`every-entry.${extension}`]: 'every-entry',
    [`without-node.${extension}`]: 'without-node',
  });
  const both = { ...all('mts'), ...all('cts') };

  test('with the module resolution of Node', async () => {
    const settings = { module: 'nodenext', lib: ['ES2022'], types: ['node'] };
    expect(await compile('nodenext', both, settings)).toBe('');
  });

  test('with the module resolution of bundlers', async () => {
    const bundler = { module: 'preserve', moduleResolution: 'bundler' };
    const settings = { ...bundler, lib: ['ES2022'], types: ['node'] };
    expect(await compile('bundler', both, settings)).toBe('');
  });

  test('with only the types of a browser', async () => {
    const { 'without-node.mts': esm, 'without-node.cts': cjs } = both;
    const programs = { 'page.mts': esm, 'page.cts': cjs } as Record<string, string>;
    const settings = { module: 'nodenext', lib: ['ES2022', 'DOM'], types: [] };
    expect(await compile('browser', programs, settings)).toBe('');
  });
});
