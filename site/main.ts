/**
 * Serves the documentation site while its pages are written, or builds it: `main.ts [serve | build] [--base /PATH/] [--out FOLDER]`.
 * Both make the reference first. Without `--out` it is built into `site/dist`.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, createServer } from 'vitepress';
import { generated, reference, referenceList, repository } from './pages';
import { writeReference } from './reference/write-reference';

const folder = join(repository, 'site');

/** Makes the pages of the reference, and gathers the files that are published as they are. */
async function prepare(): Promise<void> {
  rmSync(join(repository, generated), { recursive: true, force: true });
  const target = join(repository, reference);
  mkdirSync(target, { recursive: true });
  const pages = await writeReference(target);
  writeFileSync(join(repository, referenceList), JSON.stringify(pages));
  const files = join(repository, generated, 'public');
  cpSync(join(folder, 'public'), files, { recursive: true });
  cpSync(target, join(files, 'reference'), {
    recursive: true,
    filter: (path) => !path.endsWith('.md'),
  });
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { base: { type: 'string', default: '/' }, out: { type: 'string' } },
});
const { base, out } = values;
const [command = 'serve', ...others] = positionals;
if (!['serve', 'build'].includes(command) || others.length > 0) {
  throw new Error(`Cannot ${positionals.join(' ')}: the commands are serve and build.`);
}

await prepare();
if (command === 'build') {
  await build(folder, { base, ...(out === undefined ? {} : { outDir: out }) });
} else {
  const server = await createServer(folder, { base });
  await server.listen();
  server.printUrls();
}
