import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The sources of the SDK. */
export const sdkSources = fileURLToPath(new URL('../../packages/sdk/src/', import.meta.url));

/** A page of the SDK reference, and what is on it. */
export interface SdkModule {
  /** The page: `orders` for `sdk/orders.md`. */
  name: string;
  title: string;
  /** One plain sentence. */
  description: string;
  /** The entry that programs import: `@tradepost/sdk`, `@tradepost/sdk/webhooks`, … */
  entry: string;
  /** Markdown of the comment at the top of the entry; empty for a part of one. */
  introduction: string;
  /** The statements of a module that exports everything on the page. */
  source: string;
}

const parts = {
  client: ['Client', 'Create a client, set its options, and read its responses.'],
  orders: ['Orders', 'List, create, read and change orders.'],
  notifications: ['Notifications', 'List notifications and mark them read.'],
  'webhook-endpoints': ['Webhooks', 'Register and manage webhooks.'],
  deliveries: ['Deliveries', 'List deliveries, see their attempts, and replay them.'],
  events: ['Event log', 'List events, and follow them as they happen.'],
  partners: ['Partners', 'List the accounts with which the account has traded.'],
  account: ['Account', 'Read the account that the API key belongs to.'],
  summary: ['Summary', 'Read the state of the account at a glance.'],
  keys: ['API keys', 'List, create and revoke the API keys of the account.'],
  'sign-in': ['Signing in', 'Sign people in with codes that work once.'],
  values: ['Values and limits', 'Statuses, event types, codes and limits.'],
  errors: ['Errors', 'What a call throws, and how to tell the errors apart.'],
} satisfies Record<string, readonly [title: string, description: string]>;

type Part = keyof typeof parts;

/** The property of the client with the methods of a page. */
const properties: Partial<Record<Part, string>> = {
  orders: 'orders',
  notifications: 'notifications',
  'webhook-endpoints': 'webhooks',
  deliveries: 'deliveries',
  events: 'events',
  partners: 'partners',
  account: 'account',
  summary: 'summary',
  keys: 'keys',
  'sign-in': 'signIn',
};

/** Types without which others are not understood, although no entry exports them: by page and file. */
const helperTypes: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  testing: {
    'testing/edge-case-delivery': ['Signing'],
    'testing/overrides': ['Overrides'],
    'testing/sign-delivery': ['Bytes'],
    'testing/simulation/instance': ['StartReceiver'],
    'testing/simulation/judge': ['Finding'],
    'testing/probe/cases': ['Expectation'],
    'testing/simulation/options': ['TakeSnapshot'],
  },
};

/** The names of the helper types. */
export const helperTypeNames: ReadonlySet<string> = new Set(
  Object.values(helperTypes).flatMap((files) => Object.values(files).flat()),
);

/** The page of what `src/index.ts` exports from a module. Null for what another entry exports too. */
function choosePart(specifier: string): Part | null {
  if (specifier.startsWith('@tradepost/contract/')) return 'values';
  if (specifier.startsWith('./webhooks/')) return null;
  if (specifier === './http/move-order') return 'orders';
  const resource = /^\.\/resources\/([\w-]+)$/.exec(specifier)?.[1];
  if (resource === undefined) return specifier === './errors' ? 'errors' : 'client';
  const renamed = new Map<string, Part>([
    ['accounts', 'account'],
    ['order', 'orders'],
    ['order-timeline', 'orders'],
    ['summaries', 'summary'],
    ['webhooks', 'webhook-endpoints'],
  ]);
  const part = renamed.get(resource) ?? resource;
  if (part in parts) return part as Part;
  throw new Error(`No page has what the SDK exports from ${specifier}: add one to its parts.`);
}

const entries = {
  webhooks: ['Receiver', 'Verify deliveries and receive them in any framework.'],
  explain: ['Explanations', 'What became of a delivery, why a webhook fails, and what to do.'],
  testing: ['Testing', 'Signed deliveries for tests, and a service in memory.'],
  validate: ['Validation', 'Check responses and events with the schemas of the contract.'],
  node: ['Connection pool', 'A fetch for Node with a pool of connections.'],
} satisfies Record<string, readonly [title: string, description: string]>;

function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** Reads the comment at the top of an entry as Markdown. Its example becomes a block. */
function readIntroduction(path: string): string {
  const comment = /^\/\*\*(.*?)\*\//s.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, ''));
  const [text = '', example = ''] = lines.join('\n').split('@example\n');
  return `${text.trim()}\n\n\`\`\`ts\n${example.trim()}\n\`\`\``;
}

interface NamedExports {
  /** As written: `./errors`. */
  specifier: string;
  names: string[];
}

/** Lists what a file exports by name from other files, or imports from them. */
function listNames(path: string, kind: 'exports' | 'imports'): NamedExports[] {
  return parse(path).statements.flatMap((statement) => {
    const clause = ts.isExportDeclaration(statement)
      ? statement.exportClause
      : ts.isImportDeclaration(statement)
        ? statement.importClause?.namedBindings
        : undefined;
    const isWanted = kind === 'exports' ? ts.isNamedExports : ts.isNamedImports;
    if (clause === undefined || !isWanted(clause)) return [];
    const { moduleSpecifier } = ts.isNamedExports(clause) ? clause.parent : clause.parent.parent;
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return [];
    const names = clause.elements.map(({ name }) => name.text);
    return [{ specifier: moduleSpecifier.text, names }];
  });
}

/** Lists the names that an entry of the SDK exports: `listExports('index')`. */
export function listExports(entry: 'index' | keyof typeof entries): string[] {
  const path = entry === 'index' ? 'index.ts' : `${entry}/index.ts`;
  return listNames(join(sdkSources, path), 'exports').flatMap(({ names }) => names);
}

const exportFrom = (names: readonly string[], path: string) =>
  `export { ${names.join(', ')} } from ${JSON.stringify(path)};`;

const exportHelperTypes = (page: string) =>
  Object.entries(helperTypes[page] ?? {}).map(([file, names]) =>
    exportFrom(names, join(sdkSources, file)),
  );

function describeProperty(name: Part): string {
  const property = properties[name];
  const [, description] = parts[name];
  return property === undefined
    ? description
    : `${description} A client has these methods in \`tradepost.${property}\`.`;
}

/** Lists the modules of the SDK reference: the parts of the client, then the other entries. */
export function listSdkModules(): SdkModule[] {
  const index = join(sdkSources, 'index.ts');
  const exported = listNames(index, 'exports');
  const ofClient = (Object.keys(parts) as Part[]).map((name): SdkModule => {
    const names = exported
      .filter(({ specifier }) => choosePart(specifier) === name)
      .flatMap((one) => one.names);
    const [title, description] = parts[name];
    return {
      name,
      title,
      description,
      entry: '@tradepost/sdk',
      introduction: name === 'client' ? readIntroduction(index) : describeProperty(name),
      source: [exportFrom(names, index), ...exportHelperTypes(name)].join('\n'),
    };
  });
  const others = Object.entries(entries).map(([name, [title, description]]): SdkModule => {
    const file = join(sdkSources, name, 'index.ts');
    return {
      name,
      title,
      description,
      entry: `@tradepost/sdk/${name}`,
      introduction: readIntroduction(file),
      source: [`export * from ${JSON.stringify(file)};`, ...exportHelperTypes(name)].join('\n'),
    };
  });
  return [...ofClient, ...others];
}
