import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { tradepostBin } from '../../helpers/programs';
import { runProcess } from '../../helpers/start-process';
import { startSeededServer } from '../../helpers/start-seeded-server';

/** Writes to stderr at the end whether Node's own `fetch` was loaded, and how often WebAssembly was compiled. */
const report = `data:text/javascript,let compiled = 0;
for (const name of ['compile', 'instantiate', 'Module']) {
  WebAssembly[name] = new Proxy(WebAssembly[name], {
    apply: (...all) => { compiled += 1; return Reflect.apply(...all) },
    construct: (...all) => { compiled += 1; return Reflect.construct(...all) },
  });
}
process.on('exit', () => {
  const fetches = process.moduleLoadList.filter((name) => name.includes('deps/undici')).length;
  process.stderr.write(JSON.stringify({ compiled, fetches }));
});`;

it('a command with single requests compiles no WebAssembly, which it would wait for at its end', async () => {
  const seeded = await forTest(startSeededServer());
  const env = seeded.createEnvironment(seeded.seller);
  const id = seeded.seed.orders[0]?.id ?? '';
  const run = (...args: string[]) =>
    runProcess(process.execPath, ['--import', report, tradepostBin, ...args], { env });
  const list = ['orders', 'list', '--limit', '100'];
  for (const args of [list, ['orders', 'get', id], ['doctor'], ['whoami'], ['webhooks', 'list']]) {
    const { code, stderr } = await run(...args);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/\{"compiled":0,"fetches":0\}$/);
  }
  // That it would be noticed.
  const { stderr } = await run(...list, '--jq', 'length');
  expect(stderr).toMatch(/\{"compiled":1,"fetches":0\}$/);
});
