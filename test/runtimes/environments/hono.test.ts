import { beforeAll } from 'vitest';
import { describeReceiver, testParsedBody } from './describe-receiver';
import { readRecipe, replacePart } from './read-recipe';
import { type Application, startProject } from './start-application';

const main = 'src/main.ts';
const { [main]: recipe = '' } = readRecipe('Hono');

/** The recipe with a second route, after middleware that has read the body. */
const withParser = replacePart(
  recipe,
  /^app\.post\('\/webhooks', (.*)\);$/m,
  `$&
app.use('/parsed', async (context, next) => {
  await context.req.json();
  await next();
});
app.post('/parsed', $1);`,
);

let application: Application;

beforeAll(() =>
  startProject(
    {
      name: 'hono',
      dependencies: {
        '@hono/node-server': '2.1.9',
        '@types/node': '20.19.43',
        hono: '4.13.19',
        typescript: '5.9.3',
      },
      files: { [main]: withParser },
    },
    async (environment, start) => {
      await environment.run('typescript/bin/tsc');
      application = await start({
        args: ['dist/main.js'],
        ready: /listening on port/,
      });
    },
  ),
);

describeReceiver('a receiver in Hono', () => ({ application, path: '/webhooks' }));

testParsedBody('a receiver in Hono', 'In Hono, pass context.req.raw', () => ({
  application,
  path: '/parsed',
}));
