import { beforeAll } from 'vitest';
import { describeReceiver, testBodyLimit, testParsedBody } from './describe-receiver';
import { readRecipe, replacePart } from './read-recipe';
import { type Application, startProject } from './start-application';

const main = 'src/main.ts';
const { [main]: recipe = '' } = readRecipe('NestJS');

let application: Application;
/** The same application without the raw body. */
let parsed: Application;
/** The same application with the limit of the parser. */
let limited: Application;

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
        'src/limited.ts': replacePart(recipe, /^app\.useBodyParser.*\n/m, ''),
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
      limited = await startFile('dist/limited.js');
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

testBodyLimit('NestJS', 100 * 1_024, () => ({ application: limited, path: '/webhooks' }));
