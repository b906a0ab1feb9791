import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../test/helpers/an-order';
import { declaredValues, entries } from '../scripts/render-api';
import { aDelivery, anEvent, secret, sentAt } from './helpers/a-delivery';
import { json, scriptedService } from './helpers/scripted-service';

/** These tests check the published files, which `npm run build` creates. */
const folder = fileURLToPath(new URL('..', import.meta.url));
/** Scripts and declarations. Source maps include the sources with their comments, and no program loads them. */
const files = readdirSync(`${folder}/dist`)
  .filter((name) => !name.endsWith('.map'))
  .map((name) => ({ name, text: readFileSync(`${folder}/dist/${name}`, 'utf8') }));
const scripts = files.filter(({ name }) => /\.c?js$/.test(name));
/** The entries for client and receivers. `validate` and the mock include zod, as documented. */
const lean = files.filter(({ name }) => !/^(validate|mock)\.c?js$/.test(name));
/** The files that have nothing of the client. The mock calls it, and `testing` loads the mock. */
const apart = scripts.filter(
  ({ name }) => !/^(index|chunk|retry-loop|ofetch|validate|mock)\./.test(name),
);
/** The files of the mock, which import the client. */
const mocks = scripts.filter(({ name }) => /^mock\./.test(name));
const declarations = files.filter(({ name }) => /\.d\.c?ts$/.test(name));

/** Reads the license of a package that this one or the domain depends on. */
function readLicense(name: string): string {
  const places = ['', '../domain/'].flatMap((owner) =>
    ['LICENSE', 'LICENCE'].map((file) => `${folder}/${owner}node_modules/${name}/${file}`),
  );
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new Error(`${name} has no license file.`);
  return readFileSync(found, 'utf8');
}

/** Runs a program in its own process, inside the package; returns its output. */
async function run(type: 'module' | 'commonjs', program: string, ...given: string[]) {
  const options = [`--input-type=${type}`, '--eval', program, ...given];
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: folder });
  return stdout.trim();
}

/** How a program imports an entry of the package. */
const loads = {
  module: (names: string, entry: string) => `const ${names} = await import('${entry}');`,
  commonjs: (names: string, entry: string) => `const ${names} = require('${entry}');`,
};
const formats = ['module', 'commonjs'] as const;

describe('the published package', () => {
  test('has all entries, as modules and as CommonJS, each with declarations', () => {
    const kinds = ['js', 'cjs', 'd.ts', 'd.cts'];
    expect(files.map(({ name }) => name)).toEqual(
      expect.arrayContaining(entries.flatMap((entry) => kinds.map((kind) => `${entry}.${kind}`))),
    );
  });

  test.each(lean)(
    'mentions neither zod nor ts-rest nor the contract package in $name',
    ({ text }) => {
      const code = text.replace(/^\/\/ \.\.\/contract\/.*$/gm, '');
      expect(code).not.toMatch(/\bzod\b|ts-rest|standard-schema|@tradepost\/contract/i);
    },
  );

  test.each(scripts)('loads only its own files in $name', (file) => {
    const { text } = file;
    const loaded = [...text.matchAll(/\b(?:from|import|require)\s*\(?\s*["']([^"']+)["']/g)];
    const allowed = files.map((file) => `./${file.name}`);
    // The entry for Node needs undici, an optional peer dependency.
    const others = /^node\./.test(file.name) ? ['buffer', 'undici', 'util', 'zlib'] : [];
    for (const [, name] of loaded) expect([...allowed, ...others]).toContain(name);
  });

  test.each(scripts.filter(({ name }) => name.endsWith('.cjs')))(
    'has no import() in $name, which CommonJS runtimes such as that of Jest lack',
    ({ text }) => {
      expect(text.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '')).not.toMatch(/\bimport\(/);
    },
  );

  test.each(apart)('has nothing of the client in $name', ({ text }) => {
    expect(text).not.toMatch(/ofetch|Authorization|\/v1\/|application\/problem/);
  });

  test.each(mocks)('has no copy of the client in $name', ({ name, text }) => {
    const [extension] = /c?js$/.exec(name) ?? [];
    expect(text).toMatch(new RegExp(`(from |require\\()['"]\\./index\\.${extension}['"]`));
    expect(text).not.toMatch(/class \w*(Error|Tradepost|Transport)\b|ofetch/);
  });

  test('lets bundlers leave out the mock and the client for those who test a receiver', async () => {
    const contents = "export { sampleEvent, signDelivery } from './dist/testing.js';";
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: folder },
      bundle: true,
      write: false,
      format: 'esm',
      logLevel: 'error',
    });
    const text = outputFiles[0]?.text;
    expect(text).toContain('function signDelivery');
    expect(text).not.toMatch(/mockTradepost|class Tradepost|\/v1\//);
  });

  test.each(entries)('exports every declared value from the entry %s', async (entry) => {
    const { default: _, ...values } = await import(`${folder}/dist/${entry}.js`);
    expect(Object.keys(values).sort()).toEqual(declaredValues(entry));
  });

  test('lists bundled packages with their licenses', () => {
    const bundled = files.flatMap(({ text }) =>
      [...text.matchAll(/^\/\/ .*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(
        ([, name]) => name,
      ),
    );
    const notices = readFileSync(`${folder}/THIRD-PARTY-NOTICES.md`, 'utf8');
    const named = [...notices.matchAll(/^## (.+)$/gm)].map(([, name]) => name ?? '');
    expect(named).toEqual([...new Set(bundled)].sort());
    for (const name of named) {
      expect(notices).toContain(readLicense(name));
    }
  });

  test.each(declarations)('imports only from this package in $name', ({ text }) => {
    const sources = [...text.matchAll(/\bfrom\s+["']([^"']+)["']|\bimport\(["']([^"']+)["']\)/g)];
    for (const [, from, dynamic] of sources)
      expect(from ?? dynamic).toMatch(/^(\.\/|undici$|@tradepost\/sdk(\/webhooks)?$)/);
  });

  test.each(declarations)('declares nothing internal in $name', ({ text }) => {
    expect(text).not.toMatch(/\bTransport\b|\bRuntime\b|@internal/);
  });
});

describe.each(formats)('in a program of type %s', (type) => {
  test('the client makes a call, and lets the program end', async () => {
    const service = await scriptedService(json(200, { data: anOrder() }));
    const program = `(async () => {
      ${loads[type]('{ Tradepost }', '@tradepost/sdk')}
      const tradepost = new Tradepost({ baseUrl: process.argv[1], apiKey: 'tpk_test' });
      console.log((await tradepost.orders.get('ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH')).id);
    })();`;
    expect(await run(type, program, service.baseUrl)).toBe('ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH');
    expect(service.request(0).url).toBe('/v1/orders/ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH');
  });

  test('an import of the client loads neither the code of calls nor fetch', async () => {
    const program = `(async () => {
      ${loads[type]('{ Tradepost }', '@tradepost/sdk')}
      new Tradepost({ baseUrl: 'https://trade.example', apiKey: 'tpk_test' });
      console.log(process.moduleLoadList.filter((name) => /undici/.test(name)).length);
    })();`;
    expect(await run(type, program)).toBe('0');
  });

  test('the mock throws the classes that a program imports, and lets the program end', async () => {
    const program = `(async () => {
      ${loads[type]('{ NotFoundError, Tradepost }', '@tradepost/sdk')}
      ${loads[type]('{ mockTradepost }', '@tradepost/sdk/testing')}
      const { client } = mockTradepost();
      const { error } = await client.orders.get('ord_1').safe();
      console.log(client instanceof Tradepost, error instanceof NotFoundError);
    })();`;
    expect(await run(type, program)).toBe('true true');
  });

  test('the verifiers verify', async () => {
    const { payload, headers } = aDelivery();
    const options = { payload: payload.toString(), headers, secret, now: sentAt };
    const program = `(async () => {
      ${loads[type]('{ verifyWebhook, verifyWebhookSync }', '@tradepost/sdk/webhooks')}
      const options = JSON.parse(process.argv[1]);
      const events = [await verifyWebhook(options), verifyWebhookSync(options)];
      console.log(JSON.stringify(events));
    })();`;
    const events = JSON.parse(await run(type, program, JSON.stringify(options)));
    expect(events).toEqual([anEvent, anEvent]);
  });
});

describe('without Node', () => {
  const { crypto, TextEncoder, TextDecoder, atob, btoa } = globalThis;
  const web = { crypto, TextEncoder, TextDecoder, atob, btoa };

  /** Loads the webhooks entry, bundled for a page, among the given globals alone. */
  async function webhooksAmong(globals: object): Promise<typeof import('../src/webhooks/index')> {
    const { outputFiles } = await build({
      entryPoints: [`${folder}/dist/webhooks.js`],
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'webhooks',
      logLevel: 'error',
    });
    return runInNewContext(`${outputFiles[0]?.text}; webhooks`, { ...globals });
  }

  test('verifyWebhook verifies with WebCrypto', async () => {
    const { payload, headers } = aDelivery();
    const options = { payload, headers, secret, now: sentAt };
    const { verifyWebhook } = await webhooksAmong(web);
    expect(JSON.stringify(await verifyWebhook(options))).toBe(JSON.stringify(anEvent));
    const tampered = { ...options, payload: payload.toString().replace('pending', 'PENDING') };
    await expect(verifyWebhook(tampered)).rejects.toMatchObject({ code: 'SIGNATURE_MISMATCH' });
  });

  test('verifyWebhookSync throws an error that names the alternative', async () => {
    const { verifyWebhookSync } = await webhooksAmong(web);
    expect(() => verifyWebhookSync({ ...aDelivery(), secret })).toThrow('use await verifyWebhook');
  });

  test('verifyWebhook reports what is missing in a runtime without WebCrypto', async () => {
    const { verifyWebhook } = await webhooksAmong({ ...web, crypto: {} });
    await expect(verifyWebhook({ ...aDelivery(), secret })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    });
  });
});

test('`isTradepostError` accepts the errors of another installation of the package', async () => {
  const { isTradepostError, NotFoundError } = await import(
    pathToFileURL(`${folder}/dist/index.js`).href
  );
  const other = createRequire(import.meta.url)('../dist/index.cjs');
  const error = new other.NotFoundError('elsewhere', { code: 'order_not_found' });
  expect(error).not.toBeInstanceOf(NotFoundError);
  expect(isTradepostError(error)).toBe(true);
});
