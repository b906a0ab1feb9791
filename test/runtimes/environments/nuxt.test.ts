import { beforeAll } from 'vitest';
import { describeReceiver } from './describe-receiver';
import { readRecipe } from './read-recipe';
import { type Application, startProject } from './start-application';

const route = 'server/routes/webhooks.post.ts';
const { [route]: recipe = '' } = readRecipe('Nitro and Nuxt');

let application: Application;

beforeAll(() =>
  startProject(
    {
      name: 'nuxt',
      dependencies: {
        '@types/node': '20.19.43',
        // The next versions need Node 22.
        nuxt: '4.4.5',
        typescript: '5.9.3',
        vue: '3.5.45',
      },
      files: { [route]: recipe },
    },
    async (environment, start) => {
      // The build has no secret.
      await environment.run('nuxt/bin/nuxt.mjs', 'build');
      await environment.run('typescript/bin/tsc', '--build', '--noEmit');
      application = await start({
        args: ['.output/server/index.mjs'],
        ready: /Listening on/,
      });
    },
  ),
);

describeReceiver('a server route of Nuxt', () => ({ application, path: '/webhooks' }));
