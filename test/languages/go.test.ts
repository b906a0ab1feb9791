import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { forTest } from '../helpers/for-test';
import { startProcess } from '../helpers/start-process';
import { describeClient } from './harness/describe-client';
import { describeCodeSamples } from './harness/describe-code-samples';
import { describeVerification } from './harness/describe-verification';
import { cacheFolder, documents, languageFolder } from './harness/folders';
import { createDelivery, readReceiverSample, receiverSecret } from './harness/receiver-sample';
import { type Program, run } from './harness/run-program';
import { describeLanguage } from './harness/toolchain';

const source = languageFolder('go');
const cache = cacheFolder('go');

const goTool = (args: readonly string[]): Program => ({ command: 'go', args, cwd: source });

const built = (name: string, args: readonly string[] = []): Program => ({
  command: join(cache, name),
  args,
});

const samples = join(cache, 'samples');

/** Builds the samples at once: each is a program in a folder of its own. */
async function buildSamples(sources: ReadonlyMap<string, string>): Promise<void> {
  rmSync(samples, { recursive: true, force: true });
  for (const [operationId, code] of sources) {
    const folder = join(samples, operationId);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'main.go'), `${code}\n`);
  }
  writeFileSync(join(samples, 'go.mod'), 'module samples\n');
  expect(await run({ command: 'gofmt', args: ['-l', samples] })).toBe('');
  await run({ command: 'go', args: ['vet', './...'], cwd: samples });
  await run({ command: 'go', args: ['build', '-o', 'bin/', './...'], cwd: samples });
}

/** A program around the code sample for receivers, which prints its address. */
const receiverMain = `package main

import (
	"fmt"
	"net"
	"net/http"

	"tradepost.example/languages/generated/receiver"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	panic(http.Serve(listener, http.HandlerFunc(receiver.Receive)))
}
`;

/** Writes the code sample for receivers and a program around it into the module, which has the library. */
async function buildReceiver(): Promise<void> {
  const folder = join(source, 'generated/receiver');
  const main = join(source, 'generated/receiver-main');
  for (const path of [folder, main]) mkdirSync(path, { recursive: true });
  writeFileSync(join(folder, 'receiver.go'), `${readReceiverSample('Go')}\n`);
  writeFileSync(join(main, 'main.go'), receiverMain);
  expect(await run({ command: 'gofmt', args: ['-l', folder, main] })).toBe('');
  await run(goTool(['build', '-o', `${cache}/`, './generated/receiver-main']));
}

describeLanguage('Go', [['go', 'version']], () => {
  beforeAll(async () => {
    // A module finds only packages of its own folder.
    const generated = join(source, 'generated/tradepost');
    mkdirSync(generated, { recursive: true });
    const output = join(generated, 'client.go');
    await run(
      goTool([
        'tool',
        'oapi-codegen',
        '-config',
        'oapi-codegen.yaml',
        '-o',
        output,
        documents['3.1'],
      ]),
    );
    await run(goTool(['vet', './...']));
    await run(goTool(['build', '-o', `${cache}/`, './verify', './job']));
  });

  describeVerification('standard-webhooks/libraries 0.0.1', (file) => built('verify', [file]));

  describeClient({
    title: 'oapi-codegen 2.8.2, skip-prune',
    job: built('job'),
    newer: built('job'),
    outcomes: {
      field: { reads: /^\w+$/ },
      status: { reads: /^archived, valid: false$/ },
      type: { reads: /^order\.archived, value: unknown discriminator value: order\.archived$/ },
    },
  });

  describeCodeSamples('Go', {
    prepare: buildSamples,
    createProgram: (operationId) => ({ command: join(samples, 'bin', operationId), args: [] }),
  });

  describe('receivers', () => {
    it('the code sample accepts a delivery and rejects a changed one', async () => {
      await buildReceiver();
      const env = { TRADEPOST_WEBHOOK_SECRET: receiverSecret };
      const receiver = forTest(startProcess(join(cache, 'receiver-main'), [], { env }));
      const [address] = await receiver.writes(/127\.0\.0\.1:\d+/);
      const { headers, body } = await createDelivery();
      const post = async (content: string) =>
        (await fetch(`http://${address}/`, { method: 'POST', headers, body: content })).status;
      expect(await post(`${body} `)).toBe(400);
      expect(await post(body)).toBe(204);
      await receiver.writes(/ord_7 fulfilling/);
    });
  });
});
