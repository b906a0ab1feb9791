import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { inject } from 'vitest';

/**
 * Bundles one of the `programs` with the SDK as it is published, as the tools of a platform do it: into
 * one ES module, of which nothing is left to be loaded.
 *
 * @param platform what the platform calls itself in the exports of packages
 */
export async function bundleProgram(name: string, platform: string): Promise<string> {
  // Away from the checkout, whose own packages would be found first.
  const copies = join(inject('consumer'), 'programs');
  await cp(fileURLToPath(new URL('programs', import.meta.url)), copies, { recursive: true });
  const { outputFiles } = await build({
    entryPoints: [join(copies, `${name}.ts`)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: [platform, 'import'],
    mainFields: ['browser', 'module', 'main'],
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}
