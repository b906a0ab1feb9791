import { beforeAll } from 'vitest';
import { describeReceiver, testParsedBody } from './describe-receiver';
import { installEnvironment } from './install-environment';
import { readRecipe } from './read-recipe';
import { type Application, startApplication } from './start-application';

const main = 'src/main.ts';
const { [main]: recipe = '' } = readRecipe('Hono');

/** The recipe with a second route, after middleware that has read the body. */
const withParser = recipe.replace(
  /^app\.post\('\/webhooks', (.*)\);$/m,
  `$&
app.use('/parsed', async (context, next) => {
  await context.req.json();
  await next();
});
app.post('/parsed', $1);`,
);

let application: Application;

beforeAll(async () => {
  const environment = await installEnvironment({
    name: 'hono',
    dependencies: {
      '@hono/node-server': '2.1.9',
      '@types/node': '20.19.43',
      hono: '4.13.19',
      typescript: '5.9.3',
    },
    files: { [main]: withParser },
  });
  await environment.run('typescript/bin/tsc');
  application = await startApplication({
    path: environment.path,
    args: ['dist/main.js'],
    ready: /listening on port/,
  });
  return async () => {
    await application.stop();
    await environment.remove();
  };
});

describeReceiver('a receiver in Hono', () => ({ application, path: '/webhooks' }));

testParsedBody('a receiver in Hono', () => ({ application, path: '/parsed' }));
