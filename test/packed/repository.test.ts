import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkout } from '../helpers/programs';
import { type Exit, runProcess } from '../helpers/start-process';
import { packageFolders } from './pack-packages';

const website = 'https://github.com/tradepost/tradepost';
const packages = packageFolders.map((name) => `packages/${name}`);

function readManifest(folder: string) {
  return JSON.parse(readFileSync(join(checkout, folder, 'package.json'), 'utf8'));
}

test('the root names the repository, its home page and its issues', () => {
  expect(readManifest('')).toMatchObject({
    homepage: `${website}#readme`,
    repository: { type: 'git', url: `git+${website}.git` },
    bugs: `${website}/issues`,
  });
});

test.each(packages)('%s names the same repository, and its own folder', (folder) => {
  const { homepage, repository, bugs } = readManifest(folder);
  expect(homepage).toBe(`${website}/tree/main/${folder}#readme`);
  expect(repository).toEqual({ ...readManifest('').repository, directory: folder });
  expect(bugs).toBe(readManifest('').bugs);
});

test.each(packages)('%s has keywords, each once, by which it is found', (folder) => {
  const { keywords } = readManifest(folder);
  expect(keywords).toEqual(expect.arrayContaining(['tradepost', 'webhooks']));
  expect(new Set(keywords).size).toBe(keywords.length);
});

function checkRepository(env: Record<string, string>): Promise<Exit> {
  return runProcess(process.execPath, [join(checkout, 'scripts/check-repository.mjs')], { env });
}

test('the release workflow continues in the repository of package.json', async () => {
  const exit = await checkRepository({ GITHUB_REPOSITORY: 'tradepost/tradepost' });
  expect(exit).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

test('the release workflow fails in another repository, and names both', async () => {
  const { code, stderr } = await checkRepository({ GITHUB_REPOSITORY: 'someone/tradepost' });
  expect(code).toBe(1);
  expect(stderr).toBe(
    'This workflow runs in someone/tradepost, but package.json names tradepost/tradepost. Correct repository, ' +
      'homepage and bugs in all package.json files, or publish from tradepost/tradepost.\n',
  );
});

test('the release workflow fails when the repository is unknown', async () => {
  const { code, stderr } = await checkRepository({ GITHUB_REPOSITORY: '' });
  expect(code).toBe(1);
  expect(stderr).toContain('GITHUB_REPOSITORY is not set');
});

test('the release workflow checks the repository before it installs or publishes anything', () => {
  const workflow = readFileSync(join(checkout, '.github/workflows/release.yml'), 'utf8');
  const [check, install, publish] = ['check-repository.mjs', 'ready.mjs', 'changesets/action'].map(
    (step) => workflow.indexOf(step),
  );
  expect(check).toBeGreaterThan(0);
  expect(install).toBeGreaterThan(check ?? 0);
  expect(publish).toBeGreaterThan(install ?? 0);
});
