import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The entries of the package, by the name of their files. */
export const entries = ['index', 'webhooks', 'explain', 'testing', 'validate', 'node'] as const;

const folder = fileURLToPath(new URL('..', import.meta.url));
const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

/** The file that holds the committed report of an entry. */
export function reportPath(entry: string): string {
  return `${folder}api/${entry}.d.ts`;
}

/**
 * Renders the declarations of an entry as one self-contained text: its exports and the declarations that they use, sorted by
 * name, without comments. It does not depend on how the build splits declarations into files.
 *
 * @param extension `ts` for the declarations of ES modules, `cts` for those of CommonJS
 * @throws {Error} if `dist` does not have the entry's declarations. Build the package first.
 */
export function renderApi(entry: string, extension: 'ts' | 'cts' = 'ts'): string {
  const { exports, resolveSymbol } = read(`${folder}dist/${entry}.d.${extension}`);
  const exported = new Map(exports.map(({ target, name }) => [target, name]));
  const names = collectDeclarations(exported, resolveSymbol);

  const render = ([symbol, name]: [ts.Symbol, string]) => {
    const prefix = exported.has(symbol) ? 'export ' : '';
    return [
      name,
      declaringStatements(symbol).map((part) => prefix + renameSymbols(part, names, resolveSymbol)),
    ] as const;
  };
  const parts = [...names].map(render).sort(([one], [other]) => (one < other ? -1 : 1));
  return format(parts.flatMap(([, texts]) => texts).join('\n\n'));
}

/**
 * Lists the names that an entry exports as values, which exist at run time, sorted.
 *
 * @throws {Error} if `dist` does not have the entry's declarations. Build the package first.
 */
export function declaredValues(entry: string): string[] {
  const { exports } = read(`${folder}dist/${entry}.d.ts`);
  const values = exports.filter(
    ({ isType, target }) => !isType && target.flags & ts.SymbolFlags.Value,
  );
  return values.map(({ name }) => name).sort();
}

/** Reads the exports of a declaration file, with the checker that resolves names in it. */
function read(file: string) {
  const program = ts.createProgram([file], {
    // The language's own types are named, but not rendered.
    noLib: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} is not there or exports nothing: build the package first.`);

  const followAlias = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const resolveSymbol: SymbolResolver = (node) => {
    const symbol = checker.getSymbolAtLocation(node);
    return symbol && followAlias(symbol);
  };
  const exports = checker.getExportsOfModule(module).map((symbol) => ({
    name: symbol.name,
    target: followAlias(symbol),
    isType: isTypeOnly(symbol, checker),
  }));
  return { exports, resolveSymbol };
}

/** Returns whether a name is exported or imported as a type only, so that it does not exist at run time. */
function isTypeOnly(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  let current: ts.Symbol | undefined = symbol;
  while (current && current.flags & ts.SymbolFlags.Alias) {
    if (current.declarations?.some(ts.isTypeOnlyImportOrExportDeclaration)) return true;
    current = checker.getImmediateAliasedSymbol(current);
  }
  return false;
}

/** Resolves a name to its declaration, through imports. */
type SymbolResolver = (node: ts.Node) => ts.Symbol | undefined;

/** Adds every declaration that the exports use to the exports themselves. Each gets one unique name. */
function collectDeclarations(exported: Map<ts.Symbol, string>, resolveSymbol: SymbolResolver) {
  const names = new Map(exported);
  const taken = new Set(names.values());
  const mention = (node: ts.Node) => {
    const symbol = ts.isIdentifier(node) ? resolveSymbol(node) : undefined;
    if (symbol && !names.has(symbol) && declaringStatements(symbol).length > 0) {
      // Suffixes that the build adds depend on its order of files.
      let name = symbol.name.replace(/\$\d+$/, '');
      while (taken.has(name)) name += '$';
      names.set(symbol, name);
      taken.add(name);
    }
    ts.forEachChild(node, mention);
  };
  // Entries that are added to a map during iteration are visited too.
  for (const [symbol] of names) declaringStatements(symbol).forEach(mention);
  return names;
}

/** Returns the top-level statements that declare a symbol. */
function declaringStatements({ declarations = [] }: ts.Symbol): ts.Statement[] {
  return declarations.flatMap((declaration) => {
    const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    return ts.isSourceFile(node.parent) && ts.isStatement(node) ? [node] : [];
  });
}

/** Renders a statement, with the names of the report for the declarations that it uses. */
function renameSymbols(
  statement: ts.Statement,
  names: ReadonlyMap<ts.Symbol, string>,
  resolveSymbol: SymbolResolver,
): string {
  const rename: ts.TransformerFactory<ts.Statement> = (context) => (root) => {
    const visit = (node: ts.Node): ts.Node => {
      const symbol = ts.isIdentifier(node) ? resolveSymbol(node) : undefined;
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

/** Formats declarations like the sources. */
function format(text: string): string {
  const args = [biome, 'format', '--stdin-file-path=api.d.ts'];
  const options = { cwd: folder, input: text, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0) throw new Error(`The report could not be formatted.\n${stderr}`);
  return stdout;
}
