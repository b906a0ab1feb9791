import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScenarioContext } from '../helpers/run-scenario';

/** Profiles, `whoami`, `keys`, `open` and `doctor`. */
export async function account({
  mode,
  run,
  runOnPipes,
  url,
  folder,
  seller,
  buyer,
}: ScenarioContext): Promise<void> {
  const as = 'anonymous';
  await run('tradepost whoami');
  await run('tradepost summary');
  await runOnPipes('tradepost summary --output json');
  await runOnPipes('tradepost whoami --output json');
  await run('tradepost whoami', { as });
  await run('tradepost profiles list', { as });
  await run('tradepost doctor', { as });
  await runOnPipes('tradepost doctor --output csv');

  const created = await run("tradepost keys create --name 'warehouse export' --read-only");
  const [, key = ''] = /\b(key_[0-9A-Z]{26})\b/.exec(created) ?? [];
  await runOnPipes('tradepost keys create --expires 90d --key-file ci.key --output json');
  await runOnPipes('tradepost keys create --expires forever');
  await run('tradepost keys list');
  await runOnPipes('tradepost keys list --output csv --limit 1');
  await run(`tradepost keys revoke ${key} --yes`);
  await runOnPipes(`tradepost keys revoke ${key}`);
  await runOnPipes('tradepost keys revoke key_nosuch --yes');
  await run('tradepost open --fields expiresAt');
  await runOnPipes('tradepost open');

  await writeFile(join(folder, 'key.txt'), `${seller.apiKey}\n`);
  const fromFile = `tradepost login --key-stdin --base-url ${url}`;
  if (mode === 'pipes') {
    await run('tradepost login', { as });
    await run(`${fromFile} < key.txt`, { as });
    await run('echo tpk_nosuch | tradepost login --key-stdin', {
      as,
      env: { TRADEPOST_BASE_URL: url },
    });
  } else {
    await run('tradepost login', {
      as,
      keys: [
        [/Service URL/, 'trade.example\r'],
        [/full URL/, `${'\u007f'.repeat(13)}${url}\r`],
        [/API key/, `${seller.apiKey}\r`],
      ],
    });
    await run(`tradepost login --profile other --base-url ${url}`, {
      as,
      keys: [[/API key/, '\u0003']],
    });
    await run(fromFile, { as });
  }
  await writeFile(join(folder, 'key.txt'), `${buyer.apiKey}\n`);
  await run(`${fromFile} --profile staging --output json < key.txt`, { as });
  await run('tradepost profiles list', { as });
  await runOnPipes("tradepost profiles list --jq '.[].name'", { as });
  await run('tradepost profiles use default', { as });
  await runOnPipes('tradepost profiles use nosuch', { as });
  await runOnPipes('tradepost whoami --profile staging --fields profile,accountKind,accountName', {
    as,
  });
  await runOnPipes('tradepost orders list --limit 1', { as, env: { TRADEPOST_PROFILE: 'nosuch' } });
  await run('tradepost doctor', { as });
  await runOnPipes('tradepost doctor --output ndjson', {
    as,
    env: { TRADEPOST_API_KEY: 'tpk_nosuch' },
  });
  await run('tradepost logout --profile staging', { as });
  await run('tradepost logout --output json', { as });
  await run('tradepost logout', { as });
  await runOnPipes('tradepost logout --all', { as });
}
