/** The kind of a command, which decides how a README is checked. */
export type CommandKind =
  /** Installs packages, which have to be published from here. */
  | { kind: 'install'; packages: string[] }
  /** Sets an environment variable, which a program has to read. */
  | { kind: 'setting'; variable: string }
  /** Runs an npm script: of the root, which CI runs, or of a folder, which the test runs. */
  | { kind: 'script'; script: string; folder: string; settings: string; args: string }
  /** Runs to its end. */
  | { kind: 'plain' };

const install = /^npm (?:install|i)((?: +[^\s#]+)+)/;
const setting = /^export (\w+)=/;
const script =
  /^((?:\w+=\S+ +)*)npm (?:--prefix (\S+) )?(?:run (?:--silent )?(\S+)|(start|test)\b)(?: -- ([^#]*))?/;

/** Returns the kind of a command. */
export function classifyCommand(text: string): CommandKind {
  const installed = install.exec(text)?.[1];
  if (installed !== undefined) {
    const packages = installed.trim().split(/ +/);
    return { kind: 'install', packages: packages.filter((name) => !name.startsWith('-')) };
  }
  const variable = setting.exec(text)?.[1];
  if (variable !== undefined) return { kind: 'setting', variable };
  const run = script.exec(text);
  if (run === null) return { kind: 'plain' };
  const [, settings = '', folder = '', name, short = '', args = ''] = run;
  return { kind: 'script', script: name ?? short, folder, settings, args: args.trim() };
}
