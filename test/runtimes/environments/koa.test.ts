import { beforeAll } from 'vitest';
import { describeReceiver, testParsedBody } from './describe-receiver';
import { readRecipe } from './read-recipe';
import { type Application, startProject } from './start-application';

const main = 'src/main.ts';
const { [main]: recipe = '' } = readRecipe('Koa');

/** The recipe with a parser and the same receiver again after it. */
const withParser = recipe
  .replace("import Koa from 'koa';", "$&\nimport { bodyParser } from '@koa/bodyparser';")
  .replace(
    /^app\.use\([\s\S]*?^\}\);$/m,
    (receiver) => `${receiver}
app.use(bodyParser({ jsonLimit: '1mb' }));
${receiver.replace('/webhooks', '/parsed')}`,
  );

let application: Application;

beforeAll(() =>
  startProject(
    {
      name: 'koa',
      dependencies: {
        '@koa/bodyparser': '6.1.0',
        '@types/koa': '3.0.3',
        '@types/node': '20.19.43',
        koa: '3.3.0',
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

describeReceiver('a receiver in Koa', () => ({ application, path: '/webhooks' }));

testParsedBody('a receiver in Koa', 'In Koa, put the receiver before', () => ({
  application,
  path: '/parsed',
}));
