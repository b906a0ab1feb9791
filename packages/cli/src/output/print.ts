import type { CliContext, OutputStream } from '../context';
import { CliError, capitalize, getErrorMessage, type Hint } from '../errors/cli-error';
import {
  getLimit,
  type OutputOptions,
  type PagerOptions,
  type PaginationOptions,
} from '../input/options';
import { chooseFormat } from './format';
import { redactSecrets } from './redact';
import {
  escapeControlChars,
  formatCount,
  formatNumber,
  getTerminalWidth,
  wrap,
  wrapCommand,
} from './text';
import type { ListPage, View } from './view';

/**
 * Writes data and waits until the stream has accepted it, so that memory use does not depend on the
 * speed of the reader.
 *
 * @throws {CliError} `output_closed` if the reader closed the pipe, else `output_failed`
 */
export async function writeData(
  stream: OutputStream,
  data: string | Promise<string>,
): Promise<void> {
  const text = await data;
  if (text === '') return;
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(toOutputError(error)) : resolve()));
  });
}

function toOutputError(error: Error & { code?: string }): CliError {
  if (error.code === 'EPIPE') return new CliError('output_closed', 'The reader closed stdout');
  return new CliError(
    'output_failed',
    `Cannot write to stdout: ${error.message}`,
    'The output is incomplete: do not use it.',
  );
}

/** Whether writing failed because the reader closed the pipe, as `head` does. */
export function isReaderGone(error: unknown): boolean {
  return error instanceof CliError && error.code === 'output_closed';
}

/** Creates a writer for the results of changes. A failure to write does not stop the changes. */
export function createBestEffortWriter(stdout: OutputStream) {
  let failure: unknown = null;
  return {
    /** Writes a text, unless an earlier write failed. It never rejects. */
    async write(text: () => string | Promise<string>): Promise<void> {
      if (failure !== null) return;
      try {
        await writeData(stdout, await text());
      } catch (error) {
        failure = error;
      }
    },
    /** Why it stopped writing; null if it did not. */
    failure: (): unknown => failure,
  };
}

/** Erases the line that is drawn at the end of a terminal, such as progress. */
export const activeLiveLines = new WeakMap<OutputStream, () => void>();

/** Prints a notice on stderr. API keys and secrets are redacted. */
export function printNotice(context: CliContext, text: string): void {
  printSecretNotice(context, redactSecrets(text));
}

/** Prints a secret of the user that is shown nowhere else. */
export function printSecretNotice({ stderr }: CliContext, text: string): void {
  printLines(stderr, wrap(escapeControlChars(text), getTerminalWidth(stderr), { hanging: 2 }));
}

/** Prints a command on stderr: it runs as it is copied. */
export function printCommand({ stderr }: CliContext, command: string): void {
  const text = escapeControlChars(redactSecrets(command));
  printLines(stderr, wrapCommand(text, getTerminalWidth(stderr)));
}

/** Lines that wait for the end of a pager, which has the terminal until then. */
const heldLines = new WeakMap<OutputStream, string[]>();

function printLines(stderr: OutputStream, lines: readonly string[]): void {
  const held = heldLines.get(stderr);
  if (held !== undefined) {
    held.push(...lines);
    return;
  }
  activeLiveLines.get(stderr)?.();
  stderr.write(`${lines.join('\n')}\n`);
}

type Write = (text: string | Promise<string>) => Promise<void>;

/**
 * Prints through the pager if there is one. Notices are shown once it has ended.
 *
 * @throws {CliError} `output_closed` if the person quits it before the end
 */
async function withPager(
  options: PagerOptions,
  context: CliContext,
  print: (write: Write) => Promise<void>,
): Promise<void> {
  const { stdout, stderr } = context;
  const writePlain = (text: string | Promise<string>) => writeData(stdout, text);
  const pager = stdout.isTTY
    ? (await import('./pager')).createPager(options, context, writePlain)
    : null;
  if (pager === null) return await print(writePlain);
  try {
    await print(async (data) => {
      const text = await data;
      if (text === '') return;
      if (!heldLines.has(stderr)) heldLines.set(stderr, []);
      await pager.write(text);
    });
  } catch (error) {
    if (!pager.hasQuit()) throw error;
    throw new CliError('output_closed', 'The pager was closed');
  } finally {
    try {
      await pager.close();
    } finally {
      const held = heldLines.get(stderr) ?? [];
      heldLines.delete(stderr);
      if (held.length > 0) printLines(stderr, held);
    }
  }
}

/** Prints a text on stdout, through the pager if it is longer than the screen. */
export async function printPage(
  text: string,
  context: CliContext,
  options: PagerOptions,
): Promise<void> {
  const { stdout } = context;
  const isLong = stdout.rows !== undefined && text.split('\n').length > stdout.rows;
  if (isLong) await withPager(options, context, (write) => write(text));
  else await writeData(stdout, text);
}

/**
 * Prints a list on stdout page by page; only one page is in memory. On a terminal it goes through the
 * pager. A notice says when there are more items than were requested, or when there may be.
 *
 * @param nouns the name of the items, in the singular and the plural
 * @returns how many items were shown
 * @throws {CliError} `truncated` at the end if there are more, with `failIfTruncated`
 */
export async function printList<Item extends object>(
  pages: AsyncIterable<ListPage<Item>>,
  [one, many]: readonly [one: string, many: string],
  view: View<Item>,
  context: CliContext,
  options: OutputOptions & PagerOptions & PaginationOptions,
): Promise<number> {
  const limit = getLimit(options);
  const format = await chooseFormat(options, view, context);
  const iterator = pages[Symbol.asyncIterator]();
  let shown = 0;
  let isCut = false;
  let last: ListPage<Item> | null = null;
  let total: ListPage<Item>['total'];
  await withPager(options, context, async (write) => {
    while (shown < limit) {
      const { value: page, done } = await iterator.next();
      if (done) break;
      const items = page.data.slice(0, limit - shown);
      await write(format.formatItems(items));
      shown += items.length;
      isCut = items.length < page.data.length;
      last = page;
      total ??= page.total;
    }
    await write(format.end());
  });
  const more = isCut ? 'exist' : await findMore(last, iterator, options);
  if (more !== 'none') {
    const count = formatCount(shown, one, many);
    const hint = 'Use --all, or a larger --limit.';
    if (options.failIfTruncated) {
      throw new CliError('truncated', `The list was truncated after ${count}`, hint);
    }
    const all =
      total && `${total.atLeast ? 'more than ' : ''}${formatCount(total.count, one, many)}`;
    const shownOf = all ? `${formatNumber(shown)} of ${all}` : `${count}; more ${more}`;
    printNotice(context, `Showing ${shownOf}. ${hint}`);
  } else if (shown === 0 && options.output === 'table') {
    printNotice(context, `No ${many} found.`);
  }
  return shown;
}

/**
 * Finds out whether a list has an item after a page. If it is filtered, that is not known: the next pages are read up to
 * the next item only for an exit code that depends on it.
 */
async function findMore<Item>(
  page: ListPage<Item> | null,
  following: AsyncIterator<ListPage<Item>>,
  { failIfTruncated }: PaginationOptions,
): Promise<'none' | 'exist' | 'may exist'> {
  if (page === null || page.nextCursor === null) return 'none';
  if (!page.isFiltered) return 'exist';
  if (!failIfTruncated) return 'may exist';
  for (;;) {
    const { value: next, done } = await following.next();
    if (done) return 'none';
    if (next.data.length > 0) return 'exist';
  }
}

/**
 * Prints a single item on stdout, and returns it.
 *
 * @param load requests the item. It is called once the format is valid: wrong usage sends nothing.
 */
export async function printItem<Item extends object>(
  load: () => PromiseLike<Item>,
  view: View<Item>,
  context: CliContext,
  options: OutputOptions,
): Promise<Item> {
  const format = await chooseFormat(options, view, context);
  const item = await load();
  await writeData(context.stdout, format.formatItem(item));
  return item;
}

/**
 * Prints the result of a change. If that fails, the error says that the change was made, so that it is not
 * repeated. A closed pipe is not a failure: then a notice on stderr says what was done.
 *
 * @param subject what was done: `whk_1 is paused`
 * @param text formats the result. It is called once, and may throw.
 * @param check how to see the result
 * @throws {CliError} `output_failed`
 */
export async function printChange(
  context: CliContext,
  subject: string,
  text: () => string | Promise<string>,
  check?: Hint,
): Promise<void> {
  try {
    await writeData(context.stdout, await text());
  } catch (error) {
    if (isReaderGone(error)) return printNotice(context, `${capitalize(subject)}.`);
    throw new CliError(
      error instanceof CliError ? error.code : 'output_failed',
      `${capitalize(subject)}, but the result could not be printed: ${getErrorMessage(error)}`,
      'Do not repeat it.',
      ...(check === undefined ? [] : [check]),
    );
  }
}
