import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { inject } from 'vitest';

/**
 * Bundles one of the `programs` with the SDK as it is published, as the tools of a platform do: into one
 * ES module without imports.
 *
 * @param platform The condition of the platform in the exports of packages.
 */
export async function bundleProgram(name: string, platform: string): Promise<string> {
  // Outside the checkout, whose own packages would be resolved first.
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
