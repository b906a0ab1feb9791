import { spawn } from 'node:child_process';
import process from 'node:process';
import type { Command } from 'commander';
import { createClientFor } from '../client/create-client';
import { resolveSettings } from '../config/settings';
import type { CliContext } from '../context';
import { addHelp } from '../help/help';
import type { GlobalOptions } from '../input/options';
import { chooseFormat, describeShape } from '../output/format';
import { printItem, printNotice, writeData } from '../output/print';
import type { View } from '../output/view';

interface Options extends GlobalOptions {
  print?: true;
}

/** A link with which a person signs in, once. */
interface SignInLink {
  url: string;
  expiresAt: string;
}

const linkView: View<SignInLink> = { fields: ['url', 'expiresAt'] };

export function configure(command: Command, context: CliContext): void {
  command
    .option('--print', 'print the link instead of opening it')
    .action(() => open(command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: linkView.fields,
    Examples: ['$ tradepost open', '$ tradepost open --print', '$ tradepost open --jq .url'],
    Output: [
      `json: ${describeShape(linkView)}`,
      'table: the link alone, if it is not opened: with --print, without a terminal or without a browser',
    ],
    Notes: [
      'The link signs in to the console of the service, a web page for people, if the service has one. It works once, for 60 seconds, with the rights of the API key. The session lasts 12 hours, or until the key is revoked.',
      'Who has the link first is signed in: do not send it to anyone.',
      'The opener gets the link as an argument, which other users of this machine may see for a moment. Where you do not trust them, pass --print.',
      '`tradepost keys list` shows the sessions, and `tradepost keys revoke` ends one.',
    ],
  });
}

async function open(options: Options, context: CliContext): Promise<void> {
  const isPlain =
    options.output === 'table' && options.fields === undefined && options.jq === undefined;
  // An invalid format sends nothing: a code would be wasted.
  await chooseFormat(options, linkView, context);
  const settings = resolveSettings(context, options);
  const client = createClientFor(settings, context, options);
  const createLink = async (): Promise<SignInLink> => {
    const { code, expiresAt } = await client.signIn.createCode({ signal: context.signal });
    const base = settings.baseUrl.replace(/\/+$/, '');
    // A fragment is not sent: it is in no log of a server or a proxy, and in no Referer.
    return { url: `${base}/console/sign-in#${encodeURIComponent(code)}`, expiresAt };
  };
  if (!isPlain) {
    await printItem(createLink, linkView, context, options);
    return;
  }
  const mayOpen = options.print !== true && context.stdout.isTTY === true;
  const opener = mayOpen ? findOpener(context) : null;
  const { url } = await createLink();
  if (opener !== null && (await run(opener, url, context))) {
    printNotice(
      context,
      'Opened the console in your browser. If nothing happens, run `tradepost open --print`.',
    );
    return;
  }
  await writeData(context.stdout, `${url}\n`);
  const why = mayOpen ? 'No browser was found. ' : '';
  printNotice(context, `${why}The link works once, for 60 seconds.`);
}

/** A program that opens a link in the browser, and its arguments before the link. */
type Opener = readonly [program: string, ...args: string[]];

/** Returns the opener of the system; null without a screen that the person looks at. */
function findOpener({ env }: CliContext): Opener | null {
  if (env.SSH_CONNECTION) return null;
  switch (process.platform) {
    case 'darwin':
      return ['open'];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler'];
    default:
      return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null;
  }
}

/** How long an opener may take that fails, in milliseconds. Some run as long as the browser. */
const openerTimeMs = 3_000;

/** Runs an opener. Returns whether it has not failed. */
async function run(
  [program, ...args]: Opener,
  url: string,
  { env, wait, signal }: CliContext,
): Promise<boolean> {
  const child = spawn(program, [...args, url], { env, stdio: 'ignore', detached: true });
  const timer = new AbortController();
  const ended = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
  const stillRuns = wait(openerTimeMs, AbortSignal.any([signal, timer.signal])).then(() => true);
  const isOpened = await Promise.race([ended, stillRuns]);
  timer.abort();
  child.unref();
  return isOpened;
}
