import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { version } from '../package.json';
import { type TemplateName, templates } from './templates';

/** Why no project was created, and what to do. Nothing was changed. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError';
}

/** What is in a folder that may still become a project: nothing, or what `git init` makes. */
const harmless = new Set(['.git']);

/**
 * Makes a name of a folder's name: lower-case letters, digits and hyphens, at most 63. That is what a Worker may be called, and
 * none of the names that npm reserves is left, such as `node_modules`.
 */
export function toPackageName(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-|-$/g, '');
  return name === '' ? 'tradepost-receiver' : name;
}

/** Reads the files of a template by their paths in the project; those of the host replace shared ones. */
function readTemplate(root: string, template: TemplateName): Map<string, string> {
  const files = new Map<string, string>();
  for (const folder of [join(root, 'shared'), join(root, template)]) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      // npm does not pack `.gitignore`, and other tools look for secrets in `.env`.
      const name = entry.name.replace(/^_/, '.');
      const path = join(relative(folder, entry.parentPath), name);
      files.set(path, readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    }
  }
  return files;
}

/** Fills in what the texts of a template leave open: `{{name}}`. */
function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
    const value = values[key];
    if (value === undefined) throw new Error(`a template has an unknown {{${key}}}`);
    return value;
  });
}

/**
 * Requires a folder that does not exist, or has nothing in it.
 *
 * @throws ProjectError otherwise.
 */
export function requireEmpty(folder: string): void {
  let found: string[];
  try {
    found = readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    const reason = code === 'ENOTDIR' ? 'it is a file' : (error as Error).message;
    throw new ProjectError(`Cannot use ${folder}: ${reason}. Name another folder.`);
  }
  const [first] = found.filter((name) => !harmless.has(name));
  if (first === undefined) return;
  throw new ProjectError(
    `${folder} is not empty: it has ${first}. Nothing was changed. Name a folder that does not exist.`,
  );
}

/**
 * Creates a folder and those above it that do not exist, and adds them to a list as they are created: `mkdir` with `recursive`
 * does not say what it has created when it fails.
 */
function makeFolder(folder: string, made: string[]): void {
  const parent = dirname(folder);
  // A drive that does not exist has itself as its parent.
  if (existsSync(folder) || parent === folder) return;
  makeFolder(parent, made);
  mkdirSync(folder);
  made.push(folder);
}

/** Removes a folder, unless another program has put something into it. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}

/**
 * Writes a project into a folder, which is created if it does not exist. If a file cannot be written, those that were are
 * removed.
 *
 * @param root The folder `templates`.
 * @returns The paths of the written files, relative to the folder.
 * @throws ProjectError if the folder is not empty, or cannot be written.
 */
export function createProject(root: string, folder: string, template: TemplateName): string[] {
  requireEmpty(folder);
  const values = { ...templates[template], name: toPackageName(folder), version };
  const files = [...readTemplate(root, template)].map(
    ([path, text]) => [path, fillIn(text, values)] as const,
  );
  const written: string[] = [];
  const folders: string[] = [];
  try {
    for (const [path, text] of files) {
      const file = join(folder, path);
      makeFolder(dirname(file), folders);
      // Not over a file that another program has created meanwhile.
      const descriptor = openSync(file, 'wx');
      // From here on it is ours, also if the disk is full.
      written.push(file);
      try {
        writeFileSync(descriptor, text);
      } finally {
        closeSync(descriptor);
      }
    }
  } catch (error) {
    for (const file of written) rmSync(file, { force: true });
    for (const made of folders.reverse()) removeIfEmpty(made);
    throw new ProjectError(
      `Cannot write the project: ${(error as Error).message}. What was written is removed.`,
    );
  }
  return files.map(([path]) => path).sort();
}
