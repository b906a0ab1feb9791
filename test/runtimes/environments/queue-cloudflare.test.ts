import { expect, test } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { installEnvironment } from './install-environment';
import { readRecipe } from './read-recipe';

const recipe = readRecipe('Cloudflare Queues');

test('the effect of a delivery takes place once, although Cloudflare Queues do not deduplicate', async () => {
  const environment = await forTest(
    installEnvironment({
      name: 'queue-cloudflare',
      dependencies: {
        '@cloudflare/workers-types': '5.20261117.1',
        '@types/node': '20.19.43',
        esbuild: '0.28.2',
        miniflare: '4.20260730.0',
        typescript: '5.9.3',
      },
      files: recipe,
    }),
  );
  await environment.run('typescript/bin/tsc');
  await environment.run(
    'esbuild/bin/esbuild',
    'src/worker.ts',
    '--bundle',
    '--format=esm',
    '--conditions=workerd',
    '--outfile=worker.js',
  );
  const { code, stdout, stderr } = await environment.node(['main.mjs']);
  expect(code, stderr).toBe(0);
  const accepted = [204, ''];
  expect(JSON.parse(stdout)).toEqual({
    statuses: {
      repeated: [accepted, accepted, accepted],
      forged: [400, expect.any(String)],
      tooLarge: [500, 'HANDLER_FAILED'],
      later: accepted,
      retried: accepted,
    },
    wereHandled: [false, false],
    wasHandledWithoutEffect: false,
    remembered: [false, true],
    units: { lst_repeated: 3, lst_later: 3, lst_retried: 3 },
  });
});
