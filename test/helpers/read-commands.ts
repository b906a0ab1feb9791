import { runCli } from './run-cli';

/** Reads the commands that `--help` lists: a map from their paths (`orders list`) to their help. */
export async function readCommands(): Promise<Map<string, string>> {
  const helps = new Map<string, string>();
  // One after the other of a group: the machine has other processes to run.
  async function read(path: readonly string[]): Promise<void> {
    const { stdout } = await runCli([...path, '--help']);
    const names = parseCommandNames(stdout);
    if (names.length === 0) helps.set(path.join(' '), stdout);
    await Promise.all(names.map((name) => read([...path, name])));
  }
  await read([]);
  return helps;
}

/**
 * Reads the paths of these commands alone, in a third of the processes: from the help of the program and of its
 * groups. The test of the examples checks that no group has groups.
 */
export async function readCommandPaths(): Promise<string[]> {
  const { stdout } = await runCli(['--help']);
  const paths = await Promise.all(
    parseCommandNames(stdout).map(async (name) => {
      const names = parseCommandNames((await runCli([name, '--help'])).stdout);
      return names.length === 0 ? [name] : names.map((own) => `${name} ${own}`);
    }),
  );
  return paths.flat();
}

/** Reads the lines `  name   summary` below the headings of commands. */
function parseCommandNames(help: string): string[] {
  const names: string[] = [];
  let isListed = false;
  for (const line of help.split('\n')) {
    if (/^[A-Z ]+:/.test(line)) {
      isListed =
        !/^(USAGE|ARGUMENTS|(GLOBAL )?OPTIONS|EXAMPLES|OUTPUT|NOTES|ENVIRONMENT|MORE HELP):/.test(
          line,
        );
    } else if (isListed) {
      const name = /^ {2}([a-z][a-z-]*) {2,}\S/.exec(line)?.[1];
      if (name !== undefined) names.push(name);
    }
  }
  return names;
}
