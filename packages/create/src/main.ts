import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { cancel, isCancel, select, text } from '@clack/prompts';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { version } from '../package.json';
import { createProject, ProjectError, requireEmpty } from './create-project';
import { type TemplateName, templateNames, templates } from './templates';

const root = fileURLToPath(new URL('../templates', import.meta.url));

const defaultFolder = 'tradepost-receiver';

/** Whether a person can be asked. */
const isInteractive = Boolean(process.stdin.isTTY && process.stdout.isTTY && !process.env.CI);

/** Ends the program when the person has cancelled a question. */
function requireReply<Reply>(reply: Reply): Exclude<Reply, symbol> {
  if (!isCancel(reply)) return reply as Exclude<Reply, symbol>;
  cancel('Nothing was created.');
  process.exit(130);
}

async function askForFolder(): Promise<string> {
  if (!isInteractive) return defaultFolder;
  const reply = await text({
    message: 'Folder of the new project',
    defaultValue: defaultFolder,
    placeholder: defaultFolder,
  });
  return requireReply(reply);
}

async function askForTemplate(command: Command): Promise<TemplateName> {
  if (!isInteractive) {
    command.error(`error: choose a host with --template: ${templateNames.join(', ')}.`);
  }
  const options = templateNames.map((value) => ({ value, label: templates[value].title }));
  return requireReply(await select({ message: 'Where does it run?', options }));
}

/** The package manager that runs this program, by what it says of itself. npm without that. */
function findPackageManager(): string {
  const [name = ''] = (process.env.npm_config_user_agent ?? '').split('/');
  return ['pnpm', 'yarn', 'bun'].includes(name) ? name : 'npm';
}

/** Quotes a folder for a shell, if that is needed. On Windows, no name has a `"`, and cmd.exe does not know `'`. */
function quote(folder: string): string {
  if (/^[\w./@+-]+$/.test(folder)) return folder;
  if (process.platform === 'win32') return `"${folder}"`;
  return `'${folder.replaceAll("'", `'\\''`)}'`;
}

function describeNextSteps(folder: string, name: TemplateName): string {
  const { title, receiver, node } = templates[name];
  const manager = findPackageManager();
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = node.split('.').map(Number);
  const isOld = major < neededMajor || (major === neededMajor && minor < neededMinor);
  return [
    `Created a receiver for ${title} in ${folder === '.' ? 'this folder' : folder}.`,
    ...(isOld ? [`Its tools need Node ${node} or later; this is ${process.version}.`] : []),
    '',
    ...(folder === '.' ? [] : [`  cd ${quote(folder)}`]),
    `  ${manager} install`,
    // `bun test` is a test runner of Bun's own.
    `  ${(manager === 'bun' ? 'bun run test' : `${manager} test`).padEnd(16)}# sends it signed and forged deliveries`,
    `  ${`${manager} run dev`.padEnd(16)}# receives at http://${receiver}`,
    '',
    'Its README says how to send it real events.',
    '',
  ].join('\n');
}

/** Requires a name: an empty one, of a variable that is not set, would be the current folder. */
function requireName(folder: string): string {
  if (folder === '') throw new InvalidArgumentError('Name a folder, or leave it out.');
  return folder;
}

/** The command line of `npm create tradepost`. */
const program = new Command('create-tradepost')
  .description("Create a receiver of the trade platform's events: verified, tested, ready to run.")
  .version(version)
  .addArgument(
    new Argument(
      '[folder]',
      `where to create it; ${defaultFolder} by default, asks on a terminal`,
    ).argParser(requireName),
  )
  .addOption(
    new Option('--template <host>', 'where the receiver runs; asks on a terminal').choices(
      templateNames,
    ),
  )
  .showHelpAfterError('(see --help)')
  .exitOverride()
  .action(async (given: string | undefined, options: { template?: TemplateName }) => {
    const folder = given ?? (await askForFolder());
    requireEmpty(folder);
    const template = options.template ?? (await askForTemplate(program));
    createProject(root, folder, template);
    process.stdout.write(describeNextSteps(folder, template));
  });

try {
  await program.parseAsync();
} catch (error) {
  // Help, the version and wrong options, which commander has printed.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof ProjectError) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  } else throw error;
}
