/**
 * The allowed directions of dependencies, including type imports. ARCHITECTURE.md shows them as a map.
 *
 * Packages: cli → sdk → contract ← domain ← server, and the SDK's mock and simulation → domain. Inside the server and the CLI,
 * a folder may import its own floor and the floors below it.
 */
const inDomain = '^packages/domain/src/';
const inServer = '^packages/server/src/';
const inCli = '^packages/cli/src/';
const inConsole = '^packages/console/src/';

/** Floors of the server, from top to bottom; the entry points are above all of them. */
const serverFloors = [
  'commands',
  'runtime',
  'tracing',
  'metrics',
  'http',
  'stores',
  'retention',
  'engine',
  'kernel',
];

/** Floors of the CLI, from top to bottom; folders on one floor may import each other. */
const cliFloors = [
  '(main|run|program|command-tree)\\.ts$',
  'commands/',
  '(help|completion)/',
  '(journal|bulk)/',
  'client/',
  '(report|config)/',
  '(output|input|files)/',
  '(errors/|context\\.ts$)',
];

/** Floors of the console, from top to bottom; the folders of pages are between the second and the third, and independent. */
const consoleFloors = ['main[.]tsx$', 'app/', 'ui/', 'kernel/'];

/** Forbids imports from one path to another. */
function forbid(name, comment, from, to) {
  return {
    name,
    comment,
    severity: 'error',
    from: typeof from === 'string' ? { path: from } : from,
    to: typeof to === 'string' ? { path: to } : to,
  };
}

/** Forbids imports of a higher floor. */
function forbidUpwardImports(name, comment, root, floors) {
  return floors
    .slice(1)
    .map((floor, index) =>
      forbid(
        `${name}-${floor.replace(/\W+/g, '-').replace(/^-|-(ts)?-?$/g, '')}`,
        comment,
        `${root}${floor}`,
        `${root}(${floors.slice(0, index + 1).join('|')})`,
      ),
    );
}

module.exports = {
  forbidden: [
    forbid('no-cycles', 'A cycle hides which module depends on which.', {}, { circular: true }),
    forbid(
      'resolvable',
      'An import that cannot be resolved is missing in package.json or misspelled. aws-lambda has only types.',
      {},
      { couldNotResolve: true, pathNot: '^aws-lambda$' },
    ),
    forbid(
      'contract-has-no-dependents-below-it',
      'The contract is the base of all other packages.',
      '^packages/contract/',
      '^packages/(domain|server|sdk|cli)/',
    ),
    forbid(
      'domain-depends-on-the-contract-only',
      'The rules know neither who asks nor where things are stored.',
      '^packages/domain/',
      '^packages/(server|sdk|cli)/',
    ),
    forbid(
      'domain-runs-anywhere',
      'The mock of the SDK runs in browsers and on the edge. Tests run on Node.',
      inDomain,
      { dependencyTypes: ['core'] },
    ),
    forbid(
      'sdk-depends-on-the-contract-only',
      'The SDK works with any server that implements the API specification.',
      '^packages/sdk/',
      '^packages/(server|cli)/',
    ),
    forbid(
      'only-the-mock-has-the-rules',
      'The client asks the service. The mock is a service, and the simulation sends as one.',
      { path: '^packages/sdk/', pathNot: '^packages/sdk/src/testing/(mock|simulation)/' },
      '^packages/domain/',
    ),
    forbid(
      'client-has-no-schemas',
      'Schemas are larger than the whole client. Only the opt-in entry /validate and the mock include them.',
      { path: '^packages/sdk/src/', pathNot: '^packages/sdk/src/(validate|testing/mock)/' },
      'node_modules/zod/|^packages/contract/(src|dist)/(schemas|index)[.]',
    ),
    forbid(
      'receivers-load-no-client',
      'A receiver bundles the signature check and nothing that calls the service.',
      {
        path: '^packages/sdk/src/(webhooks|receiver|testing)/',
        pathNot: '^packages/sdk/src/testing/mock/',
      },
      '^packages/sdk/src/(http|resources|errors|validate|index[.]ts$|tradepost[.]ts$|options[.]ts$)',
    ),
    forbid(
      'mock-imports-the-client-as-programs-do',
      'Any other file of the client would be a second copy in the build, whose errors are instances of other classes. The check of names has no class.',
      '^packages/sdk/src/testing/mock/',
      {
        path: '^packages/sdk/src/',
        pathNot: '^packages/sdk/src/(index[.]ts$|option-names[.]ts$|testing/)',
      },
    ),
    forbid(
      'cli-depends-on-the-sdk-only',
      'What the CLI needs, integrators need too: it belongs in the SDK. Except texts for people about attempt errors.',
      '^packages/cli/',
      {
        path: '^packages/(server|domain|contract)/',
        pathNot:
          '^packages/contract/(src/(deliveries|http)|dist)/(attempt-errors|hidden-characters)[.]',
      },
    ),
    forbid(
      'console-depends-on-the-sdk-only',
      'It is a client like any other.',
      '^packages/console/',
      '^packages/(server|cli|domain|contract)/',
    ),
    forbid(
      'conformance-is-written-from-the-specification',
      'A mistake of ours that it shared would be found in no service. Except how hidden characters are shown.',
      '^packages/conformance/src/',
      {
        path: '^packages/(server|domain|sdk|cli|contract)/',
        pathNot: '^packages/contract/(src/http|dist)/hidden-characters[.]',
      },
    ),
    forbid(
      'server-depends-on-the-domain-and-the-contract',
      'The reference server does not know its clients.',
      '^packages/server/',
      '^packages/(sdk|cli|console)/',
    ),
    forbid(
      'packages-meet-at-their-entry-points',
      'No imports into the sources of another package.',
      { path: '^packages/([^/]+)/src/' },
      { path: '^packages/([^/]+)/src/', pathNot: '^packages/($1|domain)/src/' },
    ),
    forbid(
      'sources-do-not-import-tests',
      'Tests depend on sources, not the other way round.',
      '^packages/[^/]+/src/',
      '(^|/)test/',
    ),

    ...forbidUpwardImports(
      'server-floor',
      'A folder of the server imports only its own floor and the floors below.',
      inServer,
      ['(main|index)\\.ts$', ...serverFloors.map((folder) => `${folder}/`)],
    ),
    forbid('http-knows-the-store-as-a-port', 'HTTP works with any store.', `${inServer}http/`, {
      path: `${inServer}stores/`,
      pathNot: `${inServer}stores/store\\.ts$`,
    }),
    forbid(
      'engine-has-no-edge-libraries',
      'The delivery engine is free of HTTP servers and SQL.',
      `${inServer}(engine|retention|kernel)/`,
      'node_modules/(express|better-sqlite3)/',
    ),
    forbid(
      'domain-has-few-libraries',
      'Only ts-rest, IDs and IP addresses: the rules have no HTTP client, no framework and no database.',
      inDomain,
      { path: 'node_modules/', pathNot: 'node_modules/(@ts-rest/core|ipaddr[.]js|ulid|zod)/' },
    ),
    forbid(
      'stores-are-independent',
      'Each store stands alone behind the ports, on the tables of columns that both have.',
      { path: `${inServer}stores/([^/]+)/` },
      { path: `${inServer}stores/([^/]+)/`, pathNot: `${inServer}stores/($1|records)/` },
    ),
    forbid(
      'sqlite-only-in-its-store',
      'SQL lives in one place.',
      { path: '^packages/', pathNot: `${inServer}stores/sqlite/|/test/` },
      'node_modules/better-sqlite3/',
    ),
    forbid(
      'ts-rest-is-replaceable',
      'Only routes, the application and the contract import ts-rest.',
      {
        path: '^packages/[^/]+/src/',
        pathNot: `^packages/contract/src/|-routes\\.ts$|route-handlers\\.ts$|${inServer}http/(app|not-found)\\.ts$|${inDomain}service\\.ts$|^packages/sdk/src/http/`,
      },
      'node_modules/@ts-rest/',
    ),

    ...forbidUpwardImports(
      'cli-floor',
      'A folder of the CLI imports only its own floor and the floors below. Views may be used by help.',
      inCli,
      cliFloors,
    ),
    forbid(
      'parser-only-in-the-startup-bundle',
      'Commands import only types of commander: its code is in the startup bundle.',
      { path: inCli, pathNot: `${inCli}program[.]ts$` },
      { path: 'node_modules/commander/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'heavy-libraries-only-in-lazy',
      'They take longer to load than everything else, and few commands need one.',
      { path: inCli, pathNot: `${inCli}lazy/` },
      'node_modules/(@bomb[.]sh/tab|@clack/prompts|csv-parse|jq-wasm|undici)/',
    ),
    forbid(
      'lazy-modules-are-imported-dynamically',
      'A static import would load the library with every command.',
      inCli,
      { path: `${inCli}lazy/`, dynamic: false, dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'commands-are-imported-dynamically',
      'The tree names all commands and loads the one that runs.',
      `${inCli}command-tree[.]ts$`,
      { path: `${inCli}commands/`, dynamic: false },
    ),
    forbid(
      'nouns-do-not-import-each-other',
      'What two nouns share stands beside the commands. A noun may use the view and the pages of another; mcp has tools of all.',
      { path: `${inCli}commands/([^/]+)/`, pathNot: `${inCli}commands/mcp/` },
      { path: `${inCli}commands/`, pathNot: `${inCli}commands/$1/|-(view|pages)[.]ts$` },
    ),

    ...forbidUpwardImports(
      'console-floor',
      'A folder of the console imports only its own floor and the floors below.',
      inConsole,
      consoleFloors,
    ),
    forbid(
      'console-is-not-built-on-pages',
      'What all pages share knows none of them.',
      `${inConsole}(ui|kernel)/`,
      { path: `${inConsole}[^/]+/`, pathNot: `${inConsole}(ui|kernel)/` },
    ),
    forbid(
      'pages-do-not-import-each-other',
      'A page may use the words of another, its list, and the dialog that registers a webhook.',
      { path: `${inConsole}([^/]+)/`, pathNot: `${inConsole}app/` },
      {
        path: `${inConsole}[^/]+/`,
        pathNot: `${inConsole}($1|ui|kernel)/|-(words|list)[.]tsx?$|/register-webhook[.]tsx$`,
      },
    ),
    forbid(
      'charts-are-loaded-when-one-is-shown',
      'The library is larger than most pages.',
      { path: inConsole, pathNot: `${inConsole}ui/chart[.]tsx$` },
      'node_modules/uplot/',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules|/dist/' },
    // Those projects are installed elsewhere, with dependencies of their own.
    exclude: {
      path: '^packages/[^/]+/dist/.*\\.d\\.|^test/runtimes/environments/projects/|^packages/create/templates/',
    },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
};
