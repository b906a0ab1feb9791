import { beforeAll } from 'vitest';
import { describeReceiver, testBodyLimit, testParsedBody } from './describe-receiver';
import { readRecipe, replacePart } from './read-recipe';
import { type Application, startProject } from './start-application';

const route = 'src/routes/webhooks/+server.ts';
const { [route]: recipe = '' } = readRecipe('SvelteKit');

/** The recipe after code that has read the body. */
const afterParsing = replacePart(
  recipe,
  '=> receiver.fetch(request)',
  '=> request.json().then(() => receiver.fetch(request))',
);

let application: Application;
/** The same application with the limit of the adapter. */
let limited: Application;

beforeAll(() =>
  startProject(
    {
      name: 'svelte-kit',
      dependencies: {
        '@sveltejs/adapter-node': '5.5.7',
        '@sveltejs/kit': '2.70.4',
        '@sveltejs/vite-plugin-svelte': '7.3.1',
        '@types/node': '20.19.43',
        svelte: '5.57.3',
        typescript: '5.9.3',
        vite: '8.3.8',
      },
      files: { [route]: recipe, 'src/routes/parsed/+server.ts': afterParsing },
    },
    async (environment, start) => {
      await environment.run('vite/bin/vite.js', 'build');
      await environment.run('typescript/bin/tsc', '--noEmit');
      const startBuild = (env?: Record<string, string>) =>
        start({ args: ['build'], ready: /Listening on/, env });
      application = await startBuild({ BODY_SIZE_LIMIT: 'Infinity' });
      limited = await startBuild();
    },
  ),
);

describeReceiver('a route of SvelteKit', () => ({ application, path: '/webhooks' }));

testParsedBody('a route of SvelteKit', 'Pass the Request before', () => ({
  application,
  path: '/parsed',
}));

testBodyLimit('SvelteKit', 512 * 1_024, () => ({ application: limited, path: '/webhooks' }));
