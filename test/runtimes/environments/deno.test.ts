import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runProcess } from '../../helpers/start-process';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { type Environment, environmentVariables, installEnvironment } from './install-environment';
import { integrator, integratorResults, platform } from './integrator';

/** Its package for Linux names the C library. */
const nativePackage = `@deno/${platform}${process.platform === 'linux' ? '-glibc' : ''}`;

let environment: Environment;
let server: SeededServer;
beforeAll(async () => {
  server = await startSeededServer();
  environment = await installEnvironment({
    name: 'deno',
    dependencies: { [nativePackage]: '2.9.6' },
    files: { 'integrator.mjs': integrator },
  });
  return async () => {
    await environment.remove();
    await server.close();
  };
});

test('Deno calls the service, verifies deliveries and receives them with its server', async () => {
  const deno = join(environment.path, 'node_modules', nativePackage, 'deno');
  const args = ['run', '--allow-all', '--node-modules-dir=manual', '--quiet', 'integrator.mjs'];
  const { code, stdout, stderr } = await runProcess(deno, args, {
    cwd: environment.path,
    env: {
      ...environmentVariables,
      NODE_ENV: 'test',
      DENO_NO_UPDATE_CHECK: '1',
      DENO_DIR: join(environment.path, '.deno'),
      ...server.createEnvironment(server.buyer),
    },
  });
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual(integratorResults);
});
