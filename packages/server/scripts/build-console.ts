/** Copies the console into `dist/console`, each file with copies compressed with gzip and brotli, and the notices of its libraries. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { formatNotices, readNotice } from './write-notices';

const source = fileURLToPath(new URL('../../console/dist/', import.meta.url));
const target = fileURLToPath(new URL('../dist/console/', import.meta.url));

/** What the build of the console lists: the packages whose code is in it. */
interface License {
  name: string;
  version: string;
  text?: string;
}

/** Packages whose code is in the built files of the SDK that the console has, of which Vite lists none. */
const inSdk = ['ofetch'];

function compress(file: string): void {
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
  writeFileSync(`${file}.br`, brotliCompressSync(content));
}

function writeNotices(): void {
  const licenses: License[] = JSON.parse(readFileSync(join(source, 'licenses.json'), 'utf8'));
  const notices = licenses.map(({ name, version, text }) => {
    if (!text) throw new Error(`${name} is in the console and has no license file.`);
    return `${name} ${version}\n\n${text.trim()}`;
  });
  const sdk = fileURLToPath(new URL('../../sdk/node_modules/', import.meta.url));
  notices.push(...inSdk.map((name) => readNotice(name, join(sdk, name))));
  writeFileSync(join(target, 'THIRD-PARTY-NOTICES.txt'), formatNotices(notices));
}

/** Copies the console. Replaces what an earlier build wrote. */
export function buildConsole(): void {
  rmSync(target, { recursive: true, force: true });
  cpSync(join(source, 'assets'), join(target, 'assets'), { recursive: true });
  // The page is changed for each depth of its address, and compressed when it is first requested.
  cpSync(join(source, 'index.html'), join(target, 'index.html'));
  cpSync(join(source, 'favicon.svg'), join(target, 'favicon.svg'));
  compress(join(target, 'favicon.svg'));
  for (const file of readdirSync(join(target, 'assets'))) compress(join(target, 'assets', file));
  writeNotices();
}
