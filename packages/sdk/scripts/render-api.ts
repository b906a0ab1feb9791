import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The entries of the package, by the name of their files. */
export const entries = ['index', 'webhooks', 'testing', 'validate'] as const;

const folder = fileURLToPath(new URL('..', import.meta.url));
const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

/** The file that holds the committed report of an entry. */
export function reportOf(entry: string): string {
  return `${folder}api/${entry}.d.ts`;
}

/**
 * Renders what an entry declares to TypeScript as one text that depends on nothing else: what it
 * exports and what that is made of, sorted by name, without comments. How the build spreads
 * declarations over files, and what it calls those, does not show.
 *
 * @param extension `ts` for what ES modules see, `cts` for CommonJS
 * @throws {Error} when `dist` does not have the entry's declarations: build the package first.
 */
export function renderApi(entry: string, extension: 'ts' | 'cts' = 'ts'): string {
  const { exports, meaningOf } = read(`${folder}dist/${entry}.d.${extension}`);
  const exported = new Map(exports.map(({ meant, name }) => [meant, name]));
  const names = withWhatTheyAreMadeOf(exported, meaningOf);

  const render = ([symbol, name]: [ts.Symbol, string]) => {
    const prefix = exported.has(symbol) ? 'export ' : '';
    return [
      name,
      statementsOf(symbol).map((part) => prefix + renamed(part, names, meaningOf)),
    ] as const;
  };
  const parts = [...names].map(render).sort(([one], [other]) => (one < other ? -1 : 1));
  return formatted(parts.flatMap(([, texts]) => texts).join('\n\n'));
}

/**
 * The names that an entry declares as values, which a program may use when it runs; sorted.
 *
 * @throws {Error} when `dist` does not have the entry's declarations: build the package first.
 */
export function declaredValues(entry: string): string[] {
  const { exports } = read(`${folder}dist/${entry}.d.ts`);
  const values = exports.filter(
    ({ isType, meant }) => !isType && meant.flags & ts.SymbolFlags.Value,
  );
  return values.map(({ name }) => name).sort();
}

/** What a file of declarations exports, and how to tell what a name in it stands for. */
function read(file: string) {
  const program = ts.createProgram([file], {
    // The language's own types are named, never looked into.
    noLib: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} is not there or exports nothing: build the package first.`);

  const behind = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const meaningOf: MeaningOf = (node) => {
    const symbol = checker.getSymbolAtLocation(node);
    return symbol && behind(symbol);
  };
  const exports = checker.getExportsOfModule(module).map((symbol) => ({
    name: symbol.name,
    meant: behind(symbol),
    isType: isTypeOnly(symbol, checker),
  }));
  return { exports, meaningOf };
}

/** Tells whether a name is exported, or imported before that, by `type`: it is none when it runs. */
function isTypeOnly(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  let current: ts.Symbol | undefined = symbol;
  while (current && current.flags & ts.SymbolFlags.Alias) {
    if (current.declarations?.some(ts.isTypeOnlyImportOrExportDeclaration)) return true;
    current = checker.getImmediateAliasedSymbol(current);
  }
  return false;
}

/** What a name stands for, wherever it was imported from. */
type MeaningOf = (node: ts.Node) => ts.Symbol | undefined;

/** Names, besides what is exported, everything that the exports mention; a name is given once. */
function withWhatTheyAreMadeOf(exported: Map<ts.Symbol, string>, meaningOf: MeaningOf) {
  const names = new Map(exported);
  const taken = new Set(names.values());
  const mention = (node: ts.Node) => {
    const symbol = ts.isIdentifier(node) ? meaningOf(node) : undefined;
    if (symbol && !names.has(symbol) && statementsOf(symbol).length > 0) {
      // The build's own suffixes would change with its order of files.
      let name = symbol.name.replace(/\$\d+$/, '');
      while (taken.has(name)) name += '$';
      names.set(symbol, name);
      taken.add(name);
    }
    ts.forEachChild(node, mention);
  };
  // A map hands out what is added to it while it is walked.
  for (const [symbol] of names) statementsOf(symbol).forEach(mention);
  return names;
}

/** The statements of a file that declare something; none for what is declared inside of another. */
function statementsOf({ declarations = [] }: ts.Symbol): ts.Statement[] {
  return declarations.flatMap((declaration) => {
    const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    return ts.isSourceFile(node.parent) && ts.isStatement(node) ? [node] : [];
  });
}

/** The text of a statement, with the report's names for what it mentions. */
function renamed(
  statement: ts.Statement,
  names: ReadonlyMap<ts.Symbol, string>,
  meaningOf: MeaningOf,
): string {
  const rename: ts.TransformerFactory<ts.Statement> = (context) => (root) => {
    const visit = (node: ts.Node): ts.Node => {
      const symbol = ts.isIdentifier(node) ? meaningOf(node) : undefined;
      const name = symbol && names.get(symbol);
      if (name !== undefined) return context.factory.createIdentifier(name);
      return ts.visitEachChild(node, visit, context);
    };
    return ts.visitEachChild(root, visit, context);
  };
  const { transformed } = ts.transform(statement, [rename]);
  const printer = ts.createPrinter({ removeComments: true });
  return transformed
    .map((node) => printer.printNode(ts.EmitHint.Unspecified, node, statement.getSourceFile()))
    .join('\n');
}

/** Formats declarations as all our sources are. */
function formatted(text: string): string {
  const args = [biome, 'format', '--stdin-file-path=api.d.ts'];
  const options = { cwd: folder, input: text, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0) throw new Error(`The report could not be formatted.\n${stderr}`);
  return stdout;
}
