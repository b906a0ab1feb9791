import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application, type ProjectReflection, ReferenceType, type TypeDocOptions } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { code, type PageText, paragraphs, table } from './markdown';
import { prepareComments } from './sdk-comments';
import { listSdkModules, type SdkModule, sdkSources } from './sdk-modules';

const site = fileURLToPath(new URL('../', import.meta.url));

const format: Partial<PluginOptions> = {
  outputFileStrategy: 'modules',
  hidePageHeader: true,
  hidePageTitle: true,
  hideGroupHeadings: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  useHTMLAnchors: true,
  anchorPrefix: 'api-',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  propertyMembersFormat: 'table',
  tableColumnSettings: {
    hideSources: true,
    hideInherited: true,
    hideOverrides: true,
    hideModifiers: true,
    hideDefaults: true,
  },
};

/** Types that no page describes: what to show in their place. */
const replacements = new Map([
  // The one member of an enumeration that no one can import: its type has a name.
  ['UnrecognizedValue', '[`Unrecognized`](client.md#api-unrecognized)'],
  // The same type by another definition.
  ['EventType', '[`EventType`](values.md#api-eventtype)'],
  // The compiler shows it as the error that names what is not handled.
  ['Handled', '`Handled`'],
]);

function replaceNames(text: string): string {
  return text.replace(/(?<!\[)`(\w+)`/g, (name, word: string) => replacements.get(word) ?? name);
}

/**
 * Puts methods on the level below their class, and makes labels of the parts of a declaration, such as its parameters: the outline
 * of a page then has types and methods.
 */
function levelHeadings(markdown: string): string {
  let isMethods = false;
  const lines = markdown.split('\n').flatMap((line) => {
    const [, marks = '', name = ''] = /^(#{2,6}) (.*)/.exec(line) ?? [];
    if (marks === '' || marks === '##') return [line];
    if (marks === '###') isMethods = name === 'Methods';
    if (marks === '###' && /^(Methods|Properties)$/.test(name)) return [];
    return [isMethods && marks === '####' ? `### ${name}` : `**${name}**`];
  });
  return lines.join('\n');
}

/** Throws an error if a page would name a type of ours that no page describes. */
function checkNames(project: ProjectReflection): void {
  const names = new Set<string>();
  for (const reflection of Object.values(project.reflections)) {
    const types = [
      ...('type' in reflection && reflection.type instanceof ReferenceType
        ? [reflection.type]
        : []),
      ...(reflection.isDeclaration() ? (reflection.extendedTypes ?? []) : []),
    ];
    for (const type of types) {
      if (!(type instanceof ReferenceType) || type.reflection || type.isIntentionallyBroken())
        continue;
      if (type.refersToTypeParameter || !type.package?.startsWith('@tradepost/')) continue;
      if (!replacements.has(type.name)) names.add(type.name);
    }
  }
  if (names.size === 0) return;
  throw new Error(
    `No page of the SDK reference describes ${[...names].join(', ')}: add them to helperTypes.`,
  );
}

/** Renders the pages with TypeDoc. Returns the Markdown of each by the name of its module. */
async function renderModules(modules: readonly SdkModule[]): Promise<Map<string, string>> {
  // Not in `node_modules`, where TypeDoc takes all declarations for those of others.
  const folder = await mkdtemp(join(site, '.reference-'));
  try {
    const options: Partial<TypeDocOptions> = {
      name: '@tradepost/sdk',
      entryPoints: modules.map(({ name }) => join(folder, `${name}.ts`)),
      tsconfig: join(folder, 'tsconfig.json'),
      out: join(folder, 'out'),
      readme: 'none',
      disableSources: true,
      excludeExternals: true,
      excludeInternal: true,
      excludePrivate: true,
      excludeProtected: true,
      preservedTypeAnnotationTags: ['@throws'],
      sort: ['kind', 'source-order'],
      // What programs call comes first, then the types of what they pass and get.
      groupOrder: ['Classes', 'Functions', 'Variables', 'Interfaces', 'Type Aliases', '*'],
      logLevel: 'Warn',
    };
    const settings = {
      extends: '../../tsconfig.base.json',
      // So that a module can export types and values in one list.
      compilerOptions: {
        verbatimModuleSyntax: false,
        isolatedModules: false,
        allowImportingTsExtensions: true,
        // What the sources of the other entries import from the SDK.
        paths: {
          '@tradepost/sdk': [`${sdkSources}index.ts`],
          '@tradepost/sdk/webhooks': [`${sdkSources}webhooks/index.ts`],
        },
      },
      include: ['*.ts'],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    await mkdir(join(folder, 'out'));
    for (const { name, source } of modules) await writeFile(join(folder, `${name}.ts`), source);
    const app = await Application.bootstrapWithPlugins({
      plugin: ['typedoc-plugin-markdown'],
      ...options,
      ...format,
    });
    prepareComments(app);
    const project = await app.convert();
    if (project === undefined) throw new Error('TypeDoc could not read the SDK: see its messages.');
    checkNames(project);
    await app.generateOutputs(project);
    if (app.logger.hasErrors()) throw new Error('TypeDoc failed: see its messages.');
    const texts = modules.map(
      async ({ name }) =>
        [name, await readFile(join(folder, 'out', `${name}.md`), 'utf8')] as const,
    );
    return new Map(await Promise.all(texts));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const overviewText = 'Every export of the SDK, by what it is for.';

/** Writes the reference of the SDK: an overview, and a page for each resource of the client and each other entry. */
export async function sdkPages(): Promise<PageText[]> {
  const modules = listSdkModules();
  const rendered = await renderModules(modules);
  const pages = modules.map(
    ({ name, title, description, entry, introduction }): PageText => ({
      path: `sdk/${name}.md`,
      title,
      group: 'sdk',
      description,
      body: paragraphs(
        introduction || description,
        `Import from ${code(entry)}.`,
        levelHeadings(replaceNames(rendered.get(name)?.trim() ?? '')),
      ),
    }),
  );
  const overview: PageText = {
    path: 'sdk/index.md',
    title: '@tradepost/sdk',
    group: 'sdk',
    description: overviewText,
    body: paragraphs(
      `${overviewText} The [guide](../../../../packages/sdk/README.md) explains how to use them.`,
      table(
        ['Page', 'Import from', 'What it is for'],
        modules.map(({ name, title, description, entry }) => [
          `[${title}](./${name}.md)`,
          code(entry),
          description,
        ]),
      ),
    ),
  };
  return [overview, ...pages];
}
