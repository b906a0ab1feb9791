import { expect, it } from 'vitest';
import { expectWholeWords, splitWords, widths } from '../../../../test/helpers/whole-words';
import { commandPaths } from '../helpers/command-paths';
import { runCli } from '../helpers/run-cli';

const pages = [
  ...['', 'orders', 'webhooks', ...commandPaths].map((path) => `${path} --help`.trim()),
  ...['exit-codes', 'environment', 'output'].map((topic) => `help ${topic}`),
];

it.each(pages)('%s has all words, each on one line, at any width', async (page) => {
  const argv = page.split(' ');
  const plain = await runCli(argv);
  expect(plain).toMatchObject({ exitCode: 0, stderr: '' });
  for (const columns of widths) {
    const { stdout } = await runCli(argv, { screen: { columns } });
    expectWholeWords(stdout, columns);
    expect(splitWords(stdout)).toEqual(splitWords(plain.stdout));
  }
});
