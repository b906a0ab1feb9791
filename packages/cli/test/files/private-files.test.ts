import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { isLocked, lockFile } from '../../src/files/lock-file';
import { writePrivateFile } from '../../src/files/private-files';

function newFolder(): string {
  const place = mkdtempSync(join(tmpdir(), 'tradepost-cli-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return place;
}

it('a private file is written without following links that others put beside it', () => {
  const place = newFolder();
  const file = join(place, 'profiles.json');
  const victim = join(place, 'victim');
  writeFileSync(victim, 'mine', { mode: 0o644 });
  symlinkSync(victim, `${file}.${process.pid}`);
  writePrivateFile(file, 'secret');
  expect(readFileSync(victim, 'utf8')).toBe('mine');
  expect(statSync(victim).mode & 0o777).toBe(0o644);
  expect(readFileSync(file, 'utf8')).toBe('secret');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it.each([
  ['to a file', (place: string) => writeFileSync(join(place, 'dotfiles/own.json'), 'old')],
  ['to a file that does not exist yet', () => {}],
])('a symbolic link %s stays, and what it leads to is written', (_, prepare) => {
  const place = newFolder();
  mkdirSync(join(place, 'dotfiles'));
  mkdirSync(join(place, 'config'));
  prepare(place);
  const link = join(place, 'config/profiles.json');
  symlinkSync('../dotfiles/linked.json', link);
  symlinkSync('own.json', join(place, 'dotfiles/linked.json'));
  const target = join(place, 'dotfiles/own.json');
  const unlock = lockFile(link);
  expect(isLocked(target)).toBe(true);
  writePrivateFile(link, 'secret');
  unlock();
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(lstatSync(target).isFile()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('secret');
  expect(statSync(target).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(place, 'dotfiles')).sort()).toEqual(['linked.json', 'own.json']);
});

it('links that lead to each other are an error', () => {
  const place = newFolder();
  symlinkSync('b', join(place, 'a'));
  symlinkSync('a', join(place, 'b'));
  expect(() => writePrivateFile(join(place, 'a'), 'secret')).toThrow('ELOOP');
  expect(readdirSync(place).sort()).toEqual(['a', 'b']);
});
