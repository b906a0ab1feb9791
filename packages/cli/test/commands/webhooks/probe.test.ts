import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exampleSecret } from '@tradepost/sdk/testing';
import { webhookReceiver } from '@tradepost/sdk/webhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findUnusedPort, startHttpServer } from '../../../../../test/helpers/loopback';
import { brokenStream } from '../../helpers/fake-stream';
import { runAtKeyboard } from '../../helpers/run-at-keyboard';
import { runCli } from '../../helpers/run-cli';
import { aFolder } from '../../helpers/webhook-builders';

/** Neither service nor key. */
const env = { TRADEPOST_API_KEY: undefined };

const sound = webhookReceiver({
  ...{ secret: exampleSecret, requireTimestamp: true },
  onUnhandled: () => undefined,
  onVerificationError: () => undefined,
});

type Listener = Parameters<typeof startHttpServer>[0];
const acceptsAll: Listener = (_, response) => void response.writeHead(204).end();

/** Writes a file, and returns the command line that probes a receiver with it. */
async function setting(listener: Listener) {
  const folder = await aFolder();
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const server = await startHttpServer(listener);
  onTestFinished(server.close);
  const secretFile = await file('webhook.secret', `${exampleSecret}\n`);
  const url = `${server.url}/webhooks`;
  const probe = ['webhooks', 'probe', url, '--secret-file', secretFile];
  return { folder, file, url, secretFile, probe };
}

describe('webhooks probe', () => {
  it('exits with 0 for a sound receiver, and prints each case in a pipe', async () => {
    const { probe, file } = await setting(sound.node);
    const declaration = await file('receiver.json', '{"standardWebhooks":true}');
    const result = await runCli([...probe, '--declare', declaration], { env });
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stdout).toMatch(/^CASE +EXPECTED +VERDICT +GOT +CAUSE\n/);
    expect(result.stdout).toMatch(/^genuine order\.created +accept +pass +200 +-$/m);
    expect(result.stdout).toMatch(/^another webhook-id +refuse +pass +400 +-$/m);
    expect(result.stderr).toMatch(/^No mistake found: \d+ passed, 0 failed, /m);
  });

  it('exits with 1 for a receiver that verifies nothing, and says why and what to do', async () => {
    const { probe } = await setting(acceptsAll);
    const result = await runCli(probe, { env, screen: { columns: 100 } });
    expect(result).toMatchObject({ exitCode: 1 });
    expect(result.stdout).not.toContain('genuine');
    expect(result.stdout).toMatch(/^no signature +refuse +fail +204 +no verification$/m);
    expect(result.stderr).toContain('no verification (16 cases): It accepts forged deliveries');
    expect(result.stderr).toMatch(/error: The receiver is wrong: \d+ passed, 16 failed, /);
  });

  it('prints the report as JSON, and the cases as NDJSON', async () => {
    const { probe } = await setting(acceptsAll);
    const json = await runCli([...probe, '--output', 'json'], { env });
    const report = JSON.parse(json.stdout);
    expect(report).toMatchObject({
      verdict: 'fail',
      causes: [{ name: 'no verification' }, {}, {}],
    });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'probe_failed' } });
    const { stdout } = await runCli([...probe, '--output', 'ndjson'], { env });
    expect(stdout.trimEnd().split('\n')).toHaveLength(report.cases.length);
  });

  it('writes JUnit XML', async () => {
    const { probe, folder } = await setting(acceptsAll);
    const junit = join(folder, 'probe.xml');
    expect(await runCli([...probe, '--junit', junit], { env })).toMatchObject({ exitCode: 1 });
    const xml = await readFile(junit, 'utf8');
    expect(xml).toMatch(/<testsuite name="webhooks probe http:[^"]*" tests="\d+" failures="16" /);
    expect(xml).toContain('<testcase classname="probe" name="next secret" time="0"><skipped/>');
    expect(xml).toMatch(
      /name="no signature" time="[\d.]+"><failure message="no verification \(204\)/,
    );
    await writeFile(junit, '');
    const closed = { env, stdout: brokenStream('EPIPE') };
    await runCli([...probe, '--junit', junit], closed);
    expect(await readFile(junit, 'utf8')).toContain('</testsuite>');
    const nowhere = await runCli([...probe, '--junit', join(folder, 'no', 'x')], { env });
    expect(nowhere).toMatchObject({ exitCode: 2, stdout: '' });
    expect(nowhere.stderr).toContain('Cannot write the JUnit file');
  });

  it('reads a secret with white space around it, and a declaration with a byte order mark', async () => {
    const { url, file } = await setting(sound.node);
    const secretFile = await file('spaced.secret', `${exampleSecret} \r\n\n`);
    const declaration = await file('receiver.json', '\ufeff{"standardWebhooks":true}');
    const options = ['--secret-file', secretFile, '--declare', declaration];
    const result = await runCli(['webhooks', 'probe', url, ...options], { env });
    expect(result).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['whsec_a b', 'has no valid secret'],
    ['whsec_%', 'has no valid secret'],
    [exampleSecret, 'Both files have the same secret'],
  ])('exits with 2 for the next secret %s', async (text, message) => {
    const { probe, file } = await setting(acceptsAll);
    const argv = [...probe, '--secret-file', await file('next.secret', text)];
    const result = await runCli(argv, { env });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toContain('exampleSecret');
  });

  it('writes the URL into JUnit XML without its query, and escapes it', async () => {
    const { url, secretFile, folder } = await setting(acceptsAll);
    const junit = join(folder, 'probe.xml');
    const hostile = `${url}/a&b'<c>?token=secret`;
    const argv = ['webhooks', 'probe', hostile, '--secret-file', secretFile, '--junit', junit];
    expect(await runCli(argv, { env })).toMatchObject({ exitCode: 1 });
    const xml = await readFile(junit, 'utf8');
    expect(xml).toContain(`<testsuite name="webhooks probe ${url}/a&#38;b'%3Cc%3E" tests=`);
  });

  it('exits with 1 if the receiver closes the connection without a response', async () => {
    const { probe } = await setting((request) => void request.socket.destroy());
    const result = await runCli(probe, { env });
    expect(result).toMatchObject({ exitCode: 1 });
    expect(result.stderr).toMatch(/^no response \(1 case\): It closes the connection/m);
    expect(result.stderr).toContain('The receiver is wrong: 0 passed, 1 failed');
  });

  it('shows on a terminal which response it waits for', async () => {
    let requests = 0;
    let elapsed = 0;
    const { probe } = await setting((request, response) => {
      requests += 1;
      // The line is drawn each second.
      if (requests === 1) {
        elapsed = 4_000;
        setTimeout(() => sound.node(request, response), 2_200);
      } else void sound.node(request, response);
    });
    const screen = { env, screen: { columns: 100 }, now: () => Date.now() + elapsed };
    const waiting = 'Waiting for the response to: genuine order.status_changed (';
    expect((await runCli(probe, screen)).stderr).toContain(waiting);
    expect((await runCli(probe, { env })).stderr).not.toContain('Waiting');
  });

  it('exits with 2 if nothing listens, or if a limit of requests ends the probe', async () => {
    const { secretFile } = await setting(acceptsAll);
    const nowhere = `http://127.0.0.1:${await findUnusedPort()}`;
    const gone = ['webhooks', 'probe', nowhere, '--secret-file', secretFile];
    const result = await runCli(gone, { env });
    expect(result).toMatchObject({ exitCode: 2 });
    expect(result.stderr).toContain('No connection was made: 0 passed, 1 failed');
    const limited = await setting((_, response) => void response.writeHead(429).end());
    const { exitCode, stderr } = await runCli(limited.probe, { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('The receiver limits requests: 0 passed, 0 failed, 1 noted');
  });

  it('exits with 130 after Ctrl-C', async () => {
    const controller = new AbortController();
    const { probe } = await setting(() => controller.abort());
    const result = await runCli(probe, { env, signal: controller.signal });
    expect(result).toMatchObject({ exitCode: 130, stdout: '' });
  });

  it.each([
    ['is not a URL', ['--yes'], 'receiver', 'Use an absolute http:// or https:// URL'],
    ['has a secret that is none', ['--secret-file', '/dev/null'], null, 'is empty'],
  ])('exits with 2 and sends nothing if an argument %s', async (_, more, url, message) => {
    let requests = 0;
    const { probe, secretFile } = await setting((_request, response) => {
      requests += 1;
      response.end();
    });
    const argv = url === null ? probe : ['webhooks', 'probe', url, '--secret-file', secretFile];
    const result = await runCli([...argv, ...more], { env });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(requests).toBe(0);
  });

  it.each([
    ['{"standardWebhooks":"yes"}', 'standardWebhooks must be a boolean'],
    ['{"standardWebhook":true}', 'standardWebhook is not known: there is signatureHeaderAlone'],
    [
      '{"standardWebhooks":true,"signatureHeaderAlone":true}',
      'signatureHeaderAlone contradicts standardWebhooks',
    ],
    ['[]', 'is not a JSON object'],
    ['yes', 'is not JSON'],
  ])('exits with 2 for the declaration %s, and says why', async (text, message) => {
    const { probe, file } = await setting(acceptsAll);
    const declaration = await file('receiver.json', text);
    const result = await runCli([...probe, '--declare', declaration], { env });
    expect(result).toMatchObject({ exitCode: 2 });
    expect(result.stderr).toMatch(/receiver\.json:? /);
    expect(result.stderr).toContain(message);
  });
});

describe('webhooks probe of a receiver on another machine', () => {
  const elsewhere = async () => {
    const { secretFile } = await setting(acceptsAll);
    return ['webhooks', 'probe', 'http://receiver.invalid/?token=1', '--secret-file', secretFile];
  };

  it('asks first, and sends nothing after a no', async () => {
    const question = 'Send about 60 requests, a third of them forged, to http://receiver.invalid/?';
    const result = await runAtKeyboard(await elsewhere(), [[question, '\r']], {});
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toContain('Cancelled');
  });

  it('exits with 2 without a terminal, unless --yes is given', async () => {
    const argv = await elsewhere();
    const refused = await runCli(argv, { env });
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    const result = await runCli([...argv, '--yes'], { env });
    expect(result).toMatchObject({ exitCode: 2 });
    expect(result.stdout).toMatch(
      /^genuine order\.status_changed +accept +fail +(ENOTFOUND|EAI_AGAIN) /m,
    );
  });
});
