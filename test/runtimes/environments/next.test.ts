import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { describeReceiver, testParsedBody } from './describe-receiver';
import { readRecipe, replacePart } from './read-recipe';
import { type Application, startProject } from './start-application';

const route = 'app/webhooks/route.ts';
const { [route]: recipe = '' } = readRecipe('Next.js');

/** The recipe after code that has read the body. */
const afterParsing = (text: string) =>
  replacePart(
    text,
    '=> receiver.fetch(request)',
    '=> request.json().then(() => receiver.fetch(request))',
  );

const forEdge = (text: string) => replacePart(text, "runtime = 'nodejs'", "runtime = 'edge'");

let application: Application;

beforeAll(() =>
  startProject(
    {
      name: 'next',
      dependencies: {
        '@types/node': '20.19.43',
        '@types/react': '19.3.0',
        next: '16.4.6',
        react: '19.3.1',
        'react-dom': '19.3.1',
        typescript: '5.9.3',
      },
      files: {
        [route]: recipe,
        'app/edge/route.ts': forEdge(recipe),
        'app/parsed/route.ts': afterParsing(recipe),
        'app/edge-parsed/route.ts': forEdge(afterParsing(recipe)),
      },
    },
    async (environment, start) => {
      await environment.run('next/dist/bin/next', 'build');
      application = await start({
        args: [join('node_modules', 'next/dist/bin/next'), 'start', '--hostname', '127.0.0.1'],
        ready: /Ready in/,
      });
    },
  ),
);

describeReceiver('a route handler of Next.js', () => ({ application, path: '/webhooks' }));

testParsedBody('a route handler of Next.js', 'In Next.js, pass the Request', () => ({
  application,
  path: '/parsed',
}));

describeReceiver('an edge route handler of Next.js', () => ({ application, path: '/edge' }));

testParsedBody('an edge route handler of Next.js', 'In Next.js, pass the Request', () => ({
  application,
  path: '/edge-parsed',
}));
