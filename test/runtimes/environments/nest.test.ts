import { beforeAll } from 'vitest';
import { describeReceiver, testParsedBody } from './describe-receiver';
import { readRecipe, replacePart } from './read-recipe';
import { type Application, startProject } from './start-application';

const main = 'src/main.ts';
const { [main]: recipe = '' } = readRecipe('NestJS');

let application: Application;
/** The same application without the raw body. */
let parsed: Application;

beforeAll(() =>
  startProject(
    {
      name: 'nest',
      dependencies: {
        '@nestjs/common': '12.5.1',
        '@nestjs/core': '12.5.1',
        '@nestjs/platform-express': '12.5.1',
        '@types/express': '5.0.6',
        '@types/node': '20.19.43',
        'reflect-metadata': '0.2.2',
        rxjs: '7.8.2',
        typescript: '5.9.3',
      },
      files: {
        [main]: recipe,
        'src/parsed.ts': replacePart(recipe, 'rawBody: true', 'rawBody: false'),
      },
    },
    async (environment, start) => {
      await environment.run('typescript/bin/tsc');
      const startFile = (file: string) =>
        start({
          args: [file],
          ready: /listening at/,
        });
      application = await startFile('dist/main.js');
      parsed = await startFile('dist/parsed.js');
    },
  ),
);

describeReceiver('a controller of NestJS', () => ({ application, path: '/webhooks' }));

testParsedBody(
  'a controller of NestJS without rawBody',
  'In NestJS, create the application with',
  () => ({
    application: parsed,
    path: '/webhooks',
  }),
);
