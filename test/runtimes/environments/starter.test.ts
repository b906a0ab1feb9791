import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sampleEvent, exampleSecret as secret, signDelivery } from '@tradepost/sdk/testing';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { findUnusedPort } from '../../helpers/loopback';
import { checkout } from '../../helpers/programs';
import {
  type Exit,
  type RunningProcess,
  runProcess,
  startProcess,
} from '../../helpers/start-process';
import { type TemporaryFolder, temporaryFolder } from '../../helpers/temporary-folder';
import { runPnpm } from '../../packed/run-pnpm';
import { findNodeMajors } from '../node-majors';
import { environmentVariables } from './install-environment';
import { createSender } from './send-request';

/** How the tests of a template build and start its project. */
interface StarterCase {
  template: string;
  /** The first version of Node that its tools run on. */
  major: number;
  /** Scripts of package.json, besides `test` and `types`, that must succeed; without a secret. */
  scripts: string[];
  /** The program that `npm start` or `npm run dev` runs, by its file. */
  start: (port: number) => string[];
}

const cases: StarterCase[] = [
  { template: 'express', major: 20, scripts: ['build'], start: () => ['dist/main.js'] },
  {
    template: 'next',
    major: 20,
    scripts: ['build'],
    start: (port) => ['node_modules/next/dist/bin/next', 'start', '--port', String(port)],
  },
  {
    template: 'worker',
    major: 22,
    scripts: ['deploy --dry-run'],
    start: (port) => ['node_modules/wrangler/wrangler-dist/cli.js', 'dev', '--port', String(port)],
  },
];

let tools: TemporaryFolder;

/** Runs the packed and installed `create-tradepost`. */
function create(args: string[], cwd: string): Promise<Exit> {
  const program = join(tools.path, 'node_modules/create-tradepost/bin/create-tradepost.js');
  return runProcess(process.execPath, [program, ...args], { cwd });
}

beforeAll(async () => {
  tools = await temporaryFolder();
  const tarball = join(tools.path, 'create.tgz');
  await runPnpm(`pack --out "${tarball}"`, join(checkout, 'packages/create'));
  await writeFile(join(tools.path, 'package.json'), '{ "private": true }');
  await runPnpm(`add "${tarball}" --prefer-offline`, tools.path);
  return tools.remove;
});

test('every template has a case here', async () => {
  const { code, stderr } = await create([], tools.path);
  expect(code).toBe(2);
  expect(stderr).toContain(cases.map(({ template }) => template).join(', '));
});

test('it says where the project is, also in the current folder', async () => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const { code, stdout } = await create(['.', '--template', 'express'], folder.path);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Created a receiver for Express in this folder\.\n\n {2}npm install\n/);
});

describe.each(cases)('the starter for $template', ({ template, major, scripts, start }) => {
  const node = findNodeMajors().find((found) => found.major >= major)?.program;
  let parent: TemporaryFolder;
  let project: string;

  beforeAll(async () => {
    parent = await temporaryFolder();
    project = join(parent.path, 'my-receiver');
    const created = await create(['my-receiver', '--template', template], parent.path);
    expect(created, created.stderr).toMatchObject({ code: 0, stderr: '' });
    // The version that it names is not published yet.
    const file = join(project, 'package.json');
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    manifest.dependencies['@tradepost/sdk'] = `file:${inject('sdkTarball')}`;
    await writeFile(file, JSON.stringify(manifest));
    await runPnpm(
      'install --ignore-workspace --prefer-offline --config.engine-strict=false',
      project,
    );
    return parent.remove;
  });

  /** Variables of a person who has no secret yet; Node is the one that the tools need. */
  const withoutSecret = {
    ...environmentVariables,
    WRANGLER_SEND_METRICS: 'false',
    PATH: `${join(node ?? '', '..')}:${process.env.PATH}`,
  };

  test.runIf(node !== undefined)(
    'installs, passes its own tests, compiles and builds without a secret, and receives a delivery',
    async () => {
      const readSettings = () => readFile(join(project, 'tsconfig.json'), 'utf8');
      const settings = await readSettings();
      for (const script of ['test', 'types', ...scripts]) {
        await runPnpm(`run ${script}`, project, withoutSecret);
      }
      // Next.js adds what it misses.
      expect(await readSettings()).toBe(settings);
      const port = await findUnusedPort();
      const env = { ...withoutSecret, PORT: String(port), TRADEPOST_WEBHOOK_SECRET: secret };
      const variables = template === 'worker' ? `TRADEPOST_WEBHOOK_SECRET=${secret}\n` : '';
      if (variables !== '') await writeFile(join(project, '.dev.vars'), variables);
      const running: RunningProcess = startProcess(node ?? '', start(port), { cwd: project, env });
      onTestFinished(async () => {
        // It ends processes of its own.
        await running.stop('SIGTERM');
      });
      await running.writes(/receiving at|Ready in|Ready on/);
      const sender = createSender(port, '/webhooks');
      onTestFinished(sender.close);
      const event = sampleEvent('order.status_changed', { data: { orderId: 'ord_started' } });
      const delivery = await signDelivery({ event, secret });
      expect(await sender.send(delivery)).toEqual({ status: 204, body: '' });
      await running.writes(/ord_started: \w+ -> \w+/);
      const forged = await signDelivery({ event, secret: 'whsec_b3RoZXI=' });
      expect(await sender.send(forged)).toEqual({ status: 400, body: 'SIGNATURE_MISMATCH' });
    },
  );
});
