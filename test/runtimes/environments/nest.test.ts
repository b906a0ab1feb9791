import { beforeAll } from 'vitest';
import { describeReceiver, testParsedBody } from './describe-receiver';
import { installEnvironment } from './install-environment';
import { readRecipe } from './read-recipe';
import { type Application, startApplication } from './start-application';

const main = 'src/main.ts';
const { [main]: recipe = '' } = readRecipe('NestJS');

let application: Application;
/** The same application without the raw body. */
let parsed: Application;

beforeAll(async () => {
  const environment = await installEnvironment({
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
    files: { [main]: recipe, 'src/parsed.ts': recipe.replace('rawBody: true', 'rawBody: false') },
  });
  await environment.run('typescript/bin/tsc');
  const start = (file: string) =>
    startApplication({
      path: environment.path,
      args: [file],
      ready: /listening at/,
    });
  application = await start('dist/main.js');
  parsed = await start('dist/parsed.js');
  return async () => {
    await application.stop();
    await parsed.stop();
    await environment.remove();
  };
});

describeReceiver('a controller of NestJS', () => ({ application, path: '/webhooks' }));

testParsedBody('a controller of NestJS without rawBody', () => ({
  application: parsed,
  path: '/webhooks',
}));
