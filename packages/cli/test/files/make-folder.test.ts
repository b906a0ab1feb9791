import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createFolder } from '../../src/files/private-files';

let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'tradepost-cli-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
});

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

it('creates a folder and its parents, accessible only by their owner', () => {
  createFolder(join(place, 'a/b/c'));
  for (const path of ['a', 'a/b', 'a/b/c']) expect(modeOf(join(place, path))).toBe('700');
});

it('does not change an existing one', () => {
  chmodSync(place, 0o755);
  createFolder(place);
  expect(modeOf(place)).toBe('755');
  createFolder('/');
});

it('follows a link to a folder', () => {
  symlinkSync(place, join(place, 'link'));
  createFolder(join(place, 'link/a'));
  expect(statSync(join(place, 'a')).isDirectory()).toBe(true);
});

it('cannot create one below a file', () => {
  writeFileSync(join(place, 'file'), '');
  expect(() => createFolder(join(place, 'file/a'))).toThrow(/ENOTDIR/);
});
