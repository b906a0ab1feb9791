import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { checkout } from '../helpers/programs';
import { runProcess } from '../helpers/start-process';
import { findNodeMajors } from '../runtimes/node-majors';
import { packageFolders } from './pack-packages';

/** The part of a source map that is checked here. Source: ECMA-426. */
interface SourceMap {
  sourceRoot?: string;
  sources: string[];
  sourcesContent?: (string | null)[];
}

/** Code of other projects, whose maps would double the size of the package; and the pages `/docs` and `/console`, which are minified. */
const withoutMap = /^(cli\/dist\/lazy\/|server\/dist\/(api-docs\/|console\/|undici\.js$))/;

/** The bundles of the CLI's commands have a list of their modules instead of this module. */
const replaced = ['commands', 'others'].map(
  (name) => `cli/dist/${name}.cjs ../src/command-tree.ts`,
);

const scripts = packageFolders.flatMap((name) =>
  readdirSync(join(inject('packedPackages'), name, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.c?js$/.test(file))
    .map((file) => `${name}/dist/${file}`)
    .filter((file) => !withoutMap.test(file)),
);

describe.each(scripts)('the source map of %s', (script) => {
  const file = join(inject('packedPackages'), script);
  const map: SourceMap = JSON.parse(readFileSync(`${file}.map`, 'utf8'));

  test('is named in the script', () => {
    const [, named] = /\n\/\/# sourceMappingURL=(.+)\s*$/.exec(readFileSync(file, 'utf8')) ?? [];
    expect(join(dirname(file), named ?? '')).toBe(`${file}.map`);
  });

  test('names sources by relative paths, and modules of the build by their names', () => {
    expect(map.sourceRoot ?? '').toBe('');
    for (const source of map.sources)
      expect(source).toMatch(/^(\.\.\/|unused:|on-demand:|shared:|sdk:)[^\\]+$/);
  });

  test('includes every source as it is in the checkout, except those of other projects in the CLI', () => {
    expect(map.sourcesContent).toHaveLength(map.sources.length);
    for (const [index, source] of map.sources.entries()) {
      const original = join(checkout, 'packages', dirname(script), source);
      const content = map.sourcesContent?.[index];
      const isSource = existsSync(original) && !replaced.includes(`${script} ${source}`);
      if (script.startsWith('cli/') && source.includes('/node_modules/'))
        expect(content).toBeNull();
      else if (isSource) expect(content).toBe(readFileSync(original, 'utf8'));
      else expect(content).toBeTypeOf('string');
    }
  });
});

test('the maps lead to the sources of all five packages', () => {
  const sources = scripts.flatMap((script) => {
    const map = readFileSync(join(inject('packedPackages'), `${script}.map`), 'utf8');
    return (JSON.parse(map) as SourceMap).sources.map((source) => join(dirname(script), source));
  });
  expect(sources).toEqual(
    expect.arrayContaining([
      'contract/src/orders/order.ts',
      'sdk/src/tradepost.ts',
      'cli/src/commands/orders/list.ts',
      'domain/src/orders/order.ts',
      'server/src/stores/sqlite/orders.ts',
    ]),
  );
});

const programs = {
  module: `import { Tradepost } from '@tradepost/sdk';`,
  commonjs: `const { Tradepost } = require('@tradepost/sdk');`,
};

describe.each(findNodeMajors())('with --enable-source-maps on Node $major', ({ program: node }) => {
  test.each(['module', 'commonjs'] as const)(
    'the stack of an error of the SDK leads to its source, in a program of type %s',
    async (type) => {
      const program = `${programs[type]}
        try { new Tradepost({ baseUrl: 'no address', apiKey: 'tpk_test' }); }
        catch (error) { console.log(error.stack); }`;
      const options = ['--enable-source-maps', `--input-type=${type}`, '--eval', program];
      const { code, stdout, stderr } = await runProcess(node, options, { cwd: inject('consumer') });
      expect(code, stderr).toBe(0);

      const frames = [...stdout.matchAll(/@tradepost\/sdk\/(src\/[\w/-]+\.ts):(\d+):(\d+)/g)];
      expect(stdout).not.toMatch(/@tradepost\/sdk\/dist/);
      expect(frames.map(([, file]) => file)).toContain('src/tradepost.ts');
      for (const [, file = '', line, column] of frames) {
        const source = readFileSync(join(checkout, 'packages/sdk', file), 'utf8');
        const call = source.split('\n')[Number(line) - 1]?.slice(Number(column) - 1);
        expect(call).toMatch(/^(new )?\w+\(/);
      }
    },
  );
});
