import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runProcess } from '../../helpers/start-process';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { type Environment, environmentVariables, installEnvironment } from './install-environment';
import { integrator, integratorResults, platform } from './integrator';

let environment: Environment;
let server: SeededServer;
beforeAll(async () => {
  server = await startSeededServer();
  environment = await installEnvironment({
    name: 'bun',
    dependencies: { [`@oven/bun-${platform}`]: '1.4.5' },
    files: { 'integrator.mjs': integrator },
  });
  return async () => {
    await environment.remove();
    await server.close();
  };
});

test('Bun calls the service, verifies deliveries and receives them with its server', async () => {
  const bun = join(environment.path, `node_modules/@oven/bun-${platform}/bin/bun`);
  const { code, stdout, stderr } = await runProcess(bun, ['integrator.mjs'], {
    cwd: environment.path,
    env: {
      ...environmentVariables,
      NODE_ENV: 'test',
      ...server.createEnvironment(server.buyer),
    },
  });
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual(integratorResults);
});
