import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { version } from '../package.json';
import { createProject, ProjectError, toPackageName } from '../src/create-project';
import { templateNames } from '../src/templates';

const root = fileURLToPath(new URL('../templates', import.meta.url));

let parent: string;
let folder: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'create-tradepost-'));
  folder = join(parent, 'Orders Receiver');
  return () => rmSync(parent, { recursive: true });
});

/** All files of a folder by path. */
function listFiles(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();
}

describe.each(templateNames)('a project of the template %s', (template) => {
  test('has the files that are returned, and no open placeholder', () => {
    const files = createProject(root, folder, template);
    expect(listFiles(folder)).toEqual(files);
    expect(files).toEqual(
      expect.arrayContaining([
        '.gitignore',
        'README.md',
        'src/receiver.ts',
        'test/receiver.test.ts',
      ]),
    );
    for (const file of files) expect(readFileSync(join(folder, file), 'utf8')).not.toContain('{{');
  });

  test('has the name of its folder, the SDK of this version, and exact versions of the rest', () => {
    createProject(root, folder, template);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'orders-receiver', private: true });
    const { '@tradepost/sdk': sdk, ...others } = {
      ...manifest.dependencies,
      ...manifest.devDependencies,
    };
    expect(sdk).toBe(`^${version}`);
    for (const pinned of Object.values(others)) expect(pinned).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

test('a project is created in an empty folder, also where git was set up', () => {
  mkdirSync(join(folder, '.git'), { recursive: true });
  createProject(root, folder, 'express');
  expect(existsSync(join(folder, 'package.json'))).toBe(true);
});

test('a folder with a file is refused and not changed', () => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  expect(() => createProject(root, folder, 'express')).toThrow(
    new ProjectError(
      `${folder} is not empty: it has notes.txt. Nothing was changed. Name a folder that does not exist.`,
    ),
  );
  expect(listFiles(folder)).toEqual(['notes.txt']);
});

test('a file in place of the folder is refused and not changed', () => {
  writeFileSync(folder, 'mine');
  expect(() => createProject(root, folder, 'express')).toThrow(
    `Cannot use ${folder}: it is a file. Name another folder.`,
  );
  expect(readFileSync(folder, 'utf8')).toBe('mine');
});

test('what was written is removed when a later file cannot be written', () => {
  const broken = join(parent, 'templates');
  mkdirSync(join(broken, 'shared'), { recursive: true });
  mkdirSync(join(broken, 'express', 'a', 'b'), { recursive: true });
  writeFileSync(join(broken, 'shared', 'a'), 'a file');
  writeFileSync(join(broken, 'express', 'a', 'b', 'c'), 'below the file');
  expect(() => createProject(broken, folder, 'express')).toThrow(
    /^Cannot write the project: .* removed\.$/,
  );
  expect(existsSync(folder)).toBe(false);
});

test('a failure leaves an empty folder that was there, and nothing in it', () => {
  const broken = join(parent, 'templates');
  mkdirSync(join(broken, 'shared'), { recursive: true });
  mkdirSync(join(broken, 'express', 'b', 'c'), { recursive: true });
  writeFileSync(join(broken, 'shared', 'b'), 'a file');
  writeFileSync(join(broken, 'express', 'b', 'c', 'd'), 'below the file');
  mkdirSync(folder);
  expect(() => createProject(broken, folder, 'express')).toThrow(ProjectError);
  expect(readdirSync(folder)).toEqual([]);
});

test('the folders that were created are removed when a later one cannot be', () => {
  const tooLong = join(parent, 'outer', 'x'.repeat(300));
  expect(() => createProject(root, tooLong, 'express')).toThrow(/^Cannot write the project: /);
  expect(readdirSync(parent)).toEqual([]);
});

test.each(templateNames)(
  'git ignores secrets and what tools write in a project of %s',
  (template) => {
    createProject(root, folder, template);
    const written = ['.env.local', '.dev.vars.staging', 'tsconfig.tsbuildinfo', 'next-env.d.ts'];
    for (const file of written) writeFileSync(join(folder, file), '');
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    const list = ['ls-files', '--others', '--exclude-standard'];
    const untracked = execFileSync('git', list, { cwd: folder, encoding: 'utf8' }).split('\n');
    expect(untracked).toContain('src/receiver.ts');
    for (const file of [...written, '.env', '.dev.vars']) expect(untracked).not.toContain(file);
  },
);

test.each([
  ['My App', 'my-app'],
  ['@scope/receiver', 'receiver'],
  ['..hidden', 'hidden'],
  ['node_modules', 'node-modules'],
  ['orders.example_v2', 'orders-example-v2'],
  [`${'x'.repeat(62)} receiver`, 'x'.repeat(62)],
  ['注文', 'tradepost-receiver'],
])('the folder %j makes the package name %s', (path, name) => {
  expect(toPackageName(path)).toBe(name);
});
