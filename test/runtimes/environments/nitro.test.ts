import { sampleEvent, exampleSecret as secret, signDelivery } from '@tradepost/sdk/testing';
import { beforeAll, expect, test } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { describeReceiver } from './describe-receiver';
import { readRecipe, replacePart } from './read-recipe';
import { createSender } from './send-request';
import { type Application, startProject } from './start-application';

const route = 'server/routes/webhooks.post.ts';
const { [route]: recipe = '' } = readRecipe('Nitro and Nuxt');

/** The recipe after code that has read the body. */
const afterParsing = replacePart(
  recipe.replace('defineEventHandler,', 'defineEventHandler, readBody,'),
  '(event) => receiver.fetch(toWebRequest(event))',
  '(event) => readBody(event).then(() => receiver.fetch(toWebRequest(event)))',
);

let application: Application;

beforeAll(() =>
  startProject(
    {
      name: 'nitro',
      dependencies: {
        '@types/node': '20.19.43',
        h3: '1.15.11',
        nitropack: '2.13.6',
        typescript: '5.9.3',
      },
      files: { [route]: recipe, 'server/routes/parsed.post.ts': afterParsing },
    },
    async (environment, start) => {
      await environment.run('nitropack/dist/cli/index.mjs', 'build');
      await environment.run('typescript/bin/tsc');
      application = await start({
        args: ['.output/server/index.mjs'],
        ready: /Listening on/,
      });
    },
  ),
);

describeReceiver('a route of Nitro', () => ({ application, path: '/webhooks' }));

test('a route of Nitro handles a delivery whose body was read before', async () => {
  const sender = forTest(createSender(application.port, '/parsed'));
  const event = sampleEvent('order.created', { data: { orderId: 'ord_parsed' } });
  expect(await sender.send(await signDelivery({ event, secret }))).toEqual({
    status: 204,
    body: '',
  });
  await application.process.writes(/order\.created ord_parsed/);
});
