import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Environment, installEnvironment } from './install-environment';

/** The oldest supported version, and the last one of each line since. */
const versions = ['5.0.4', '5.4.5', '5.9.3', '6.0.3', '7.0.2'];

/** Ways to find the entries of a package. The first one is that of most projects before TypeScript 5. */
const resolutions = {
  node10: { module: 'commonjs', moduleResolution: 'node10' },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

/** TypeScript 6 reports it as deprecated, and 7 does not have it. */
function getSettings(version: string, resolution: keyof typeof resolutions): object | null {
  const settings = resolutions[resolution];
  if (resolution !== 'node10') return settings;
  if (version.startsWith('7.')) return null;
  return version.startsWith('6.') ? { ...settings, ignoreDeprecations: '6.0' } : settings;
}

const cases = versions.flatMap((version) =>
  (Object.keys(resolutions) as (keyof typeof resolutions)[]).flatMap((resolution) => {
    const settings = getSettings(version, resolution);
    return settings === null ? [] : [{ version, resolution, settings }];
  }),
);

const readProgram = (name: string) =>
  readFileSync(new URL(`../../packed/programs/${name}.ts`, import.meta.url), 'utf8');

let environment: Environment;
beforeAll(async () => {
  environment = await installEnvironment({
    name: 'typescript',
    dependencies: {
      '@types/node': '20.19.43',
      undici: '7.30.2',
      ...Object.fromEntries(
        versions.map((version) => [`typescript-${version}`, `npm:typescript@${version}`]),
      ),
    },
  });
  return () => environment.remove();
});

/** Compiles programs together. Returns the folder, and the errors of the compiler. */
async function compile(
  { version, resolution, settings }: (typeof cases)[number],
  programs: readonly string[],
  more: object,
): Promise<{ folder: string; errors: string }> {
  const folder = join(environment.path, `${programs.join('-')}-${version}-${resolution}`);
  await mkdir(folder);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: 'es2022',
    noEmit: true,
    skipLibCheck: true,
    ...settings,
    ...more,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  for (const name of programs) await writeFile(join(folder, `${name}.ts`), readProgram(name));
  const compiler = join(environment.path, 'node_modules', `typescript-${version}`);
  const { bin } = JSON.parse(readFileSync(join(compiler, 'package.json'), 'utf8'));
  const { code, stdout, stderr } = await environment.node([
    join(compiler, bin.tsc),
    '--project',
    folder,
  ]);
  return { folder, errors: code === 0 ? '' : `${stdout}${stderr}` };
}

describe.each(cases)('TypeScript $version with $resolution', (settings) => {
  test('compiles a program with the types of a browser, and the declarations themselves', async () => {
    const browser = { lib: ['es2022', 'dom'], types: [], skipLibCheck: false };
    expect((await compile(settings, ['without-node'], browser)).errors).toBe('');
  });

  // One process for both: most of its time goes to the types of the SDK and of Node. With `noEmit`, older versions
  // do not check declarations.
  test('compiles a program that uses every entry, with the types of Node, and writes declarations of one that exports what every entry returns', async () => {
    const written = { declaration: true, emitDeclarationOnly: true, noEmit: false };
    const node = { lib: ['es2022'], types: ['node'], ...written };
    const programs = ['every-entry', 'declared-values'];
    const { folder, errors } = await compile(settings, programs, node);
    expect(errors).toBe('');
    expect(readFileSync(join(folder, 'declared-values.d.ts'), 'utf8')).toMatch(
      /mockOrders: (import\("@tradepost\/sdk"\)\.)?Orders;/,
    );
  });
});
