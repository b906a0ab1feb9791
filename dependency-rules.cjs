/**
 * Which way dependencies run, type imports included. ARCHITECTURE.md draws the same in words:
 * cli → sdk → contract ← server, and inside of the server
 * main → commands → {server, api, engine} → {http, stores, retention, metrics} → deliveries → features → ground floor,
 * and of the CLI main → run → program → command-tree → commands → what commands share.
 */
const inServer = '^packages/server/src/';
const inCli = '^packages/cli/src/';
const features = '(accounts|events|listings|notifications|orders|tasks|webhooks)';
/** What puts the parts of the server together. */
const top = '(server|main|program|index|api|engine[a-z-]*)\\.ts$';

/** Forbids what is under one path to import what is under another. */
function forbid(name, comment, from, to) {
  return {
    name,
    comment,
    severity: 'error',
    from: typeof from === 'string' ? { path: from } : from,
    to: typeof to === 'string' ? { path: to } : to,
  };
}

module.exports = {
  forbidden: [
    forbid('no-circles', 'A circle hides which part rests on which.', {}, { circular: true }),
    forbid(
      'resolvable',
      'What cannot be resolved is not in package.json, or is misspelt. Of aws-lambda there are only types.',
      {},
      { couldNotResolve: true, pathNot: '^aws-lambda$' },
    ),
    forbid(
      'contract-rests-on-nothing',
      'The contract is what the others rest on.',
      '^packages/contract/',
      '^packages/(server|sdk|cli)/',
    ),
    forbid(
      'sdk-rests-on-the-contract',
      'The SDK works with any server of the interface.',
      '^packages/sdk/',
      '^packages/(server|cli)/',
    ),
    forbid(
      'the-client-carries-no-schemas',
      'Schemas weigh more than the whole client. Only the opt-in entry for staging has them.',
      { path: '^packages/sdk/src/', pathNot: '^packages/sdk/src/validate/' },
      'node_modules/zod/|^packages/contract/(src|dist)/(schemas|index)[.]',
    ),
    forbid(
      'receivers-load-no-client',
      'Who receives deliveries bundles the check, and nothing that calls the service.',
      '^packages/sdk/src/(webhooks|receiver|testing)/',
      '^packages/sdk/src/(internal|resources|errors|validate|tradepost[a-z-]*[.]ts$)',
    ),
    forbid(
      'cli-rests-on-the-sdk-alone',
      'What the CLI needs, integrators need too: it belongs in the SDK.',
      '^packages/cli/',
      '^packages/(server|contract)/',
    ),
    forbid(
      'the-parser-stays-in-the-start',
      'Commands and what they share know types of commander alone: its code is in the other file of the build.',
      { path: inCli, pathNot: `${inCli}program[.]ts$` },
      { path: 'node_modules/commander/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'heavy-libraries-stay-apart',
      'They take longer to load than all else, and few commands need one: src/apart has each in a file of its own.',
      { path: inCli, pathNot: `${inCli}apart/` },
      `node_modules/(@bomb[.]sh/tab|@clack/prompts|csv-parse|jq-wasm|string-width|undici)/`,
    ),
    forbid(
      'what-is-apart-is-loaded-when-needed',
      'A static import would load it with every command.',
      inCli,
      { path: `${inCli}apart/`, dynamic: false, dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'commands-are-loaded-when-they-run',
      'The tree names them all, and loads the one that is run.',
      `${inCli}command-tree[.]ts$`,
      { path: `${inCli}commands/`, dynamic: false },
    ),
    forbid(
      'nothing-rests-on-commands',
      'They stand on top: what several need is beside them. A view, which says how a noun is shown, may be in the help.',
      { path: inCli, pathNot: `${inCli}(commands/|command-tree[.]ts$)` },
      { path: `${inCli}commands/`, pathNot: '-view[.]ts$' },
    ),
    forbid(
      'views-are-for-commands-and-help',
      'What works for commands returns data. How it is shown is the affair of who shows it.',
      { path: inCli, pathNot: `${inCli}(commands|help)/` },
      `${inCli}commands/.*-view[.]ts$`,
    ),
    forbid(
      'nouns-do-not-know-each-others-commands',
      'What the commands of two nouns share is no command, and stands beside them. One may show what another has.',
      { path: `${inCli}commands/([^/]+)/` },
      { path: `${inCli}commands/`, pathNot: `${inCli}commands/$1/|-view[.]ts$` },
    ),
    forbid(
      'commands-without-a-noun-know-no-command',
      'Each does its own work.',
      `${inCli}commands/[^/]+$`,
      { path: `${inCli}commands/`, pathNot: '-view[.]ts$' },
    ),
    forbid(
      'server-rests-on-the-contract',
      'The reference server does not know its clients.',
      '^packages/server/',
      '^packages/(sdk|cli)/',
    ),
    forbid(
      'sources-do-not-reach-into-other-packages',
      'Packages meet at their entries.',
      { path: '^packages/([^/]+)/src/' },
      { path: '^packages/([^/]+)/src/', pathNot: '^packages/$1/src/' },
    ),
    forbid(
      'sources-do-not-import-tests',
      'Tests rest on the sources.',
      '^packages/[^/]+/src/',
      '(^|/)test/',
    ),
    forbid(
      'features-know-no-edge',
      'Domain rules stay free of HTTP, of storage and of the delivery engine.',
      `${inServer}${features}/`,
      `${inServer}((http|stores|deliveries|retention|metrics|commands)/|store\\.ts$|${top})|node_modules/(express|better-sqlite3|undici)/`,
    ),
    forbid(
      'deliveries-know-no-edge',
      'The delivery engine works through ports.',
      `${inServer}deliveries/`,
      `${inServer}((http|stores|metrics|commands)/|${top})|node_modules/(express|better-sqlite3)/`,
    ),
    forbid(
      'http-and-stores-do-not-meet',
      'They are joined in server.ts.',
      `${inServer}http/`,
      `${inServer}(stores|commands)/`,
    ),
    forbid(
      'stores-know-no-http',
      'A store is no part of an answer.',
      `${inServer}stores/`,
      `${inServer}(http|commands)/|node_modules/express/`,
    ),
    forbid(
      'stores-do-not-meet',
      'Each store stands alone behind the ports.',
      { path: `${inServer}stores/([^/]+)/` },
      { path: `${inServer}stores/([^/]+)/`, pathNot: `${inServer}stores/$1/` },
    ),
    forbid(
      'ground-floor-rests-on-nothing',
      'Everything stands on it.',
      `${inServer}(blot-out-keys|clock|config|domain-error|idempotency-claim|ids|log|log-destination|moment|position|store-unavailable-error|version)\\.ts$`,
      `${inServer}[^/]+/`,
    ),
    forbid(
      'sqlite-stays-in-its-store',
      'SQL lives in one place.',
      { path: '^packages/', pathNot: `${inServer}stores/sqlite/|/test/` },
      'node_modules/better-sqlite3/',
    ),
    forbid(
      'ts-rest-stays-replaceable',
      'Only routes, the application and the contract know that ts-rest is there.',
      {
        path: '^packages/[^/]+/src/',
        pathNot: `^packages/contract/src/|-routes\\.ts$|${inServer}http/app\\.ts$|^packages/sdk/src/internal/`,
      },
      'node_modules/@ts-rest/',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules|/dist/' },
    exclude: { path: '^packages/[^/]+/dist/.*\\.d\\.' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
