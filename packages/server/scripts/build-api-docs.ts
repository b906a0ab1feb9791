/**
 * Builds the page `/docs` into `dist/api-docs`: `index.html`, `assets/` with a hash of the content in each name, each with
 * a copy compressed with gzip, and the notices of Swagger UI.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';

const source = fileURLToPath(new URL('../src/http/api-docs/page/', import.meta.url));
const target = fileURLToPath(new URL('../dist/api-docs/', import.meta.url));
const require = createRequire(import.meta.url);
const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'));

/** Builds a file of the page for the browsers of the last years. */
function bundle(file: string): Buffer {
  const { outputFiles } = buildSync({
    entryPoints: [join(source, file)],
    bundle: true,
    format: 'iife',
    target: ['es2022'],
    minify: true,
    write: false,
  });
  return Buffer.from(outputFiles[0]?.contents ?? []);
}

/** Removes the reference to a source map, which is not served, and says so as its licence demands. */
function withoutSourceMap(stylesheet: Buffer): Buffer {
  const changed = '/* Changed: the reference to a source map was removed. */';
  return Buffer.from(stylesheet.toString().replace(/\/\*# sourceMappingURL=.*\*\//, changed));
}

/** Writes an asset and its compressed copy. Returns its file name. */
function writeAsset(name: string, content: Buffer): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const extension = extname(name);
  const file = `${name.slice(0, -extension.length)}.${hash}${extension}`;
  writeFileSync(join(target, 'assets', file), content);
  const compressed = gzipSync(content, { level: constants.Z_BEST_COMPRESSION });
  writeFileSync(join(target, 'assets', `${file}.gz`), compressed);
  return file;
}

/** The licence of Swagger UI, and those of the packages in its bundle as it lists them. */
function collectNotices(): string {
  return ['NOTICE', 'LICENSE', 'swagger-ui-bundle.js.LICENSE.txt']
    .map((file) => readFileSync(join(swaggerUi, file), 'utf8').trim())
    .join(`\n\n${'-'.repeat(80)}\n\n`);
}

/** Builds the page. Replaces what an earlier build wrote. */
export function buildApiDocs(): void {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, 'assets'), { recursive: true });
  const assets: Record<string, Buffer> = {
    'swagger-ui-bundle.js': readFileSync(join(swaggerUi, 'swagger-ui-bundle.js')),
    'swagger-ui.css': withoutSourceMap(readFileSync(join(swaggerUi, 'swagger-ui.css'))),
    'page.js': bundle('main.ts'),
    'page.css': bundle('page.css'),
  };
  let html = readFileSync(join(source, 'index.html'), 'utf8');
  for (const [name, content] of Object.entries(assets)) {
    html = html.replace(`{{${name}}}`, `docs/assets/${writeAsset(name, content)}`);
  }
  writeFileSync(join(target, 'index.html'), html);
  writeFileSync(join(target, 'THIRD-PARTY-NOTICES.txt'), `${collectNotices()}\n`);
}
