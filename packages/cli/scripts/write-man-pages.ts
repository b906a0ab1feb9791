/** Writes a man page for the program and for each command: `man tradepost`, `man tradepost-orders-list`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Command } from 'commander';
import { wait } from '../src/context';
import { createProgram } from '../src/program';
import { pageName, renderCommand, renderProgram } from './man-page';

/** Renders all pages. Returns the text of each by its file name. */
export async function renderManPages(): Promise<Map<string, string>> {
  const { program, load } = createProgram({
    stdin: () => process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: {},
    signal: new AbortController().signal,
    now: Date.now,
    elapsed: () => performance.now(),
    wait,
  });
  const pages = new Map([['tradepost.1', renderProgram(program)]]);
  async function add(command: Command): Promise<void> {
    await load(command);
    pages.set(`${pageName(command)}.1`, renderCommand(command));
    for (const child of command.createHelp().visibleCommands(command)) await add(child);
  }
  for (const child of program.createHelp().visibleCommands(program)) await add(child);
  return pages;
}

/** Writes all pages into a folder, which then has nothing else. */
export async function writeManPages(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of await renderManPages()) writeFileSync(join(folder, file), text);
}
