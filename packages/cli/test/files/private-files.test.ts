import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { writePrivateFile } from '../../src/files/private-files';

it('a private file is written without following links that others put beside it', () => {
  const place = mkdtempSync(join(tmpdir(), 'tradepost-cli-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
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
