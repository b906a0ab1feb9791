import { beforeAll } from 'vitest';
import { describeReceiver, testParsedBody } from './describe-receiver';
import { installEnvironment } from './install-environment';
import { readRecipe } from './read-recipe';
import { type Application, startApplication } from './start-application';

const route = 'src/routes/webhooks/+server.ts';
const { [route]: recipe = '' } = readRecipe('SvelteKit');

/** The recipe after code that has read the body. */
const afterParsing = recipe.replace(
  '=> receiver.fetch(request)',
  '=> request.json().then(() => receiver.fetch(request))',
);

let application: Application;

beforeAll(async () => {
  const environment = await installEnvironment({
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
  });
  await environment.run('vite/bin/vite.js', 'build');
  await environment.run('typescript/bin/tsc', '--noEmit');
  application = await startApplication({
    path: environment.path,
    args: ['build'],
    ready: /Listening on/,
    env: { BODY_SIZE_LIMIT: 'Infinity' },
  });
  return async () => {
    await application.stop();
    await environment.remove();
  };
});

describeReceiver('a route of SvelteKit', () => ({ application, path: '/webhooks' }));

testParsedBody('a route of SvelteKit', () => ({ application, path: '/parsed' }));
