import { isTradepostError, type Tradepost, type TradepostError } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../client/create-client';
import type { CliContext } from '../context';
import { CliError, ErrorWithHint, InvalidArgument, isRecord } from '../errors/cli-error';
import { getExitReason } from '../errors/exit-codes';
import { decodeText } from '../files/decode-text';
import { addHelp } from '../help/help';
import { type GlobalOptions, type OutputFormat, repeatable, withValues } from '../input/options';
import { readInput } from '../input/read-input';
import { chooseFormat } from '../output/format';
import { printChange, printNotice, writeData } from '../output/print';
import { escapeControlChars, escapeControlCharsInJson } from '../output/text';
import type { View } from '../output/view';

interface Options extends GlobalOptions {
  query?: Parameter[];
  field?: Parameter[];
  header?: Parameter[];
  input?: string;
  paginate?: true;
  include?: true;
}

type Parameter = [name: string, value: string];

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

const anyView: View<object> = { fields: [] };

export function configure(command: Command, context: CliContext): void {
  const pairs = (parse: (text: string) => Parameter) =>
    repeatable((text: string, before: Parameter[] = []) => [...before, parse(text)]);
  const method = withValues(parseMethod, () => methods);
  command
    .argument('<method>', `HTTP method: ${methods.join(', ')}`, method)
    .argument('<path>', 'path of the service, such as /v1/orders', parsePath)
    .option('--query <name=value>', 'query parameter; repeatable', pairs(parsePair))
    .option(
      '--field <name=value>',
      'field of the JSON body; repeatable. true, false, null and numbers have their JSON type',
      pairs(parsePair),
    )
    .option('--input <file>', 'JSON body from a file, or - for stdin')
    .option('--header <name:value>', 'request header; repeatable', pairs(parseHeader))
    .option('--paginate', 'request all pages of a list, and print one array of their items')
    .option('--include', 'print the status and the headers of the response on stderr')
    .action((method: string, path: string) =>
      api(method, path, command.optsWithGlobals<Options>(), context).catch((error) => {
        throw isPathUnknown(error) ? new ErrorWithHint(error, pathHint) : error;
      }),
    );
  addHelp(command, {
    Examples: [
      '$ tradepost api GET /v1/orders --query status=pending --query limit=10',
      "$ tradepost api GET /v1/notifications --paginate --jq '.[].message'",
      '$ tradepost api PATCH /v1/orders/ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH --field status=confirmed',
      '$ tradepost api POST /v1/webhooks --input webhook.json',
    ],
    Output: [
      'json: the body of the response as it is; with --paginate, one array of the items of all pages',
      'A body that is not JSON is printed as it is.',
    ],
    Notes: [
      'For endpoints that have no command. It sends the API key of the profile to its service, and to no other host.',
      'A GET is retried after a temporary failure; other methods only if they certainly had no effect.',
      'It does not ask for confirmation.',
    ],
  });
}

const pathHint = 'The service does not have this path: check it.';

/** Whether the service does not have the path, as far as its response says. */
function isPathUnknown(error: unknown): error is TradepostError {
  return isTradepostError(error) && error.status === 404 && getExitReason(error) === 'usage';
}

function parseMethod(text: string): string {
  const method = text.toUpperCase();
  if (methods.includes(method)) return method;
  throw new InvalidArgument(`Use one of: ${methods.join(', ')}.`);
}

function parsePath(text: string): string {
  const path = text
    // Git Bash turns /v1/orders into C:/Program Files/Git/v1/orders.
    .replace(/^[A-Za-z]:\/.*?(?=\/v\d+(\/|$))/, '')
    .replace(/^(?=v\d+(\/|$))/, '/');
  if (/^\/(?!\/)[^#\\\s]*$/.test(path)) return path;
  throw new InvalidArgument(
    'Use a path of the service that begins with one /, such as /v1/orders.',
  );
}

function parsePair(text: string): Parameter {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new InvalidArgument('Use name=value.');
}

function parseHeader(text: string): Parameter {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*([\t\x20-\x7e]*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new InvalidArgument('Use name:value, in ASCII.');
}

async function api(
  method: string,
  path: string,
  options: Options,
  context: CliContext,
): Promise<void> {
  const output = chooseOutput(options);
  const body = await readBody(options, context);
  checkUsage(method, path, body, options);
  const client = createClient(context, options);
  if (options.paginate) return await printPages(client, path, { ...options, output }, context);

  const format = await chooseFormat({ ...options, output }, anyView, context);
  const { data, status, headers } = await client
    .request(method, addQuery(path, options), {
      headers: getHeaders(options),
      body,
      signal: context.signal,
    })
    .withResponse();
  if (options.include) {
    printNotice(context, `HTTP ${status}`);
    headers.forEach((value, name) => {
      printNotice(context, `${name}: ${value}`);
    });
  }
  const { isTTY } = context.stdout;
  const text = async () => {
    if (data === undefined) return '';
    if (typeof data === 'string') return isTTY ? escapeControlChars(data, '\n\t') : data;
    return isRecord(data)
      ? await format.formatItem(data)
      : `${escapeControlCharsInJson(JSON.stringify(data, null, 2))}\n`;
  };
  if (method === 'GET') await writeData(context.stdout, text());
  else await printChange(context, `${method} ${path} returned ${status}`, text);
}

/** @throws {CliError} `usage` for a format that a body of any shape does not have */
function chooseOutput({ output, fields }: Options): OutputFormat {
  if (output === 'csv' || fields !== undefined) {
    const name = fields === undefined ? '--output csv' : '--fields';
    throw new CliError(
      'usage',
      `${name} is not supported: the response may have any shape`,
      'Use --jq.',
    );
  }
  return output === 'table' ? 'json' : output;
}

async function readBody({ field = [], input }: Options, context: CliContext): Promise<unknown> {
  if (input === undefined) {
    if (field.length === 0) return undefined;
    return Object.fromEntries(field.map(([name, value]) => [name, parseValue(value)]));
  }
  if (field.length > 0)
    throw new CliError('usage', 'Pass the body with --field or --input, not both');
  const [file, name] = input === '-' ? [undefined, 'Stdin'] : [input, input];
  const text = decodeText(await readInput(context, 'the body', file), name);
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError('usage', `${name} is not JSON`, 'Nothing was sent.');
  }
}

/** Numbers, booleans and null have their JSON type; anything else is a string. */
function parseValue(text: string): unknown {
  return /^(true|false|null|-?(0|[1-9]\d{0,14})(\.\d{1,15})?)$/.test(text)
    ? JSON.parse(text)
    : text;
}

function checkUsage(method: string, path: string, body: unknown, options: Options): void {
  const { paginate, include } = options;
  if (body !== undefined && ['GET', 'HEAD'].includes(method)) {
    throw new CliError('usage', `A ${method} has no body`, 'Use --query for parameters.');
  }
  if (!paginate) return;
  if (method !== 'GET') throw new CliError('usage', '--paginate needs GET');
  if (include) throw new CliError('usage', 'Use --include or --paginate, not both');
  if (/[?&](cursor|after)=/.test(addQuery(path, options))) {
    throw new CliError('usage', '--paginate sets the cursor itself', 'Remove it from the query.');
  }
}

/** Adds the query parameters to a path: a name may occur more than once. */
function addQuery(path: string, { query = [] }: Options): string {
  if (query.length === 0) return path;
  const added = new URLSearchParams(query);
  return `${path}${path.includes('?') ? '&' : '?'}${added}`;
}

function getHeaders({ header = [] }: Options): Record<string, string> {
  return Object.fromEntries(header);
}

async function printPages(
  client: Tradepost,
  path: string,
  options: Options,
  context: CliContext,
): Promise<void> {
  const format = await chooseFormat(options, anyView, context);
  for await (const items of readPages(client, path, options, context)) {
    await writeData(context.stdout, format.formatItems(items));
  }
  await writeData(context.stdout, format.end());
}

/**
 * Requests the pages of a list, until a page has no `nextCursor`. Those of events always have one: there `hasMore` says
 * whether more follow, or that a page has no items.
 */
async function* readPages(
  client: Tradepost,
  path: string,
  options: Options,
  { signal }: CliContext,
): AsyncIterable<object[]> {
  const parameter = /^\/v1\/events(\?|$)/.test(path) ? 'after' : 'cursor';
  const seen = new Set<string>();
  for (let cursor: string | null = null; ; ) {
    const page: unknown = await client.request('GET', addQuery(path, options), {
      query: cursor === null ? {} : { [parameter]: cursor },
      headers: getHeaders(options),
      signal,
    });
    if (!isRecord(page) || !Array.isArray(page.data)) {
      throw new CliError(
        'invalid_response',
        `GET ${path} returned no list: --paginate needs an array \`data\``,
        'Omit --paginate.',
      );
    }
    yield page.data;
    const { nextCursor } = page;
    const isLast = page.hasMore === undefined ? page.data.length === 0 : page.hasMore !== true;
    if (typeof nextCursor !== 'string' || isLast) return;
    if (seen.has(nextCursor)) {
      throw new CliError('invalid_response', `GET ${path} returned the cursor of an earlier page`);
    }
    seen.add(nextCursor);
    cursor = nextCursor;
  }
}
