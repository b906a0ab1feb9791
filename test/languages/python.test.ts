import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanEnvironment } from '../helpers/clean-environment';
import { describeClient } from './harness/describe-client';
import { describeCodeSamples } from './harness/describe-code-samples';
import { describeVerification } from './harness/describe-verification';
import { cacheFolder, documents, languageFolder, vectorFiles } from './harness/folders';
import { makeOnce } from './harness/make-once';
import {
  createDelivery,
  readReceiverSample,
  readReceivingSnippets,
  receiverSecret,
} from './harness/receiver-sample';
import { type Program, run, runChecks } from './harness/run-program';
import { describeLanguage } from './harness/toolchain';

const source = languageFolder('python');
const cache = cacheFolder('python');
const environment = join(cache, 'venv');
const requirements = join(source, 'requirements.txt');

/** Of a command of the virtual environment, which finds the other ones on its path. */
function inEnvironment(command: string, args: readonly string[], client?: string): Program {
  const bin = join(environment, 'bin');
  const { PATH = '' } = cleanEnvironment({});
  const path = client === undefined ? {} : { PYTHONPATH: join(cache, client) };
  const env = { ...path, PATH: `${bin}:${PATH}`, PYTHONDONTWRITEBYTECODE: '1' };
  return { command: join(bin, command), args, env };
}

const python = (program: string, args: readonly string[] = [], client?: string): Program =>
  inEnvironment('python', [join(source, program), ...args], client);

async function install(): Promise<void> {
  await makeOnce(environment, [requirements], async () => {
    await run({ command: 'python3', args: ['-m', 'venv', environment] });
    await run(inEnvironment('pip', ['install', '--quiet', '--requirement', requirements]));
  });
}

/** Checks the function of RECEIVING.md with the test vectors: it requires both signatures and all headers. */
const checkVectors = `
import json, sys
for file in sys.argv[1:]:
    content = json.load(open(file))
    for vector in content["vectors"]:
        headers = {name.lower(): value for name, value in vector["headers"].items()}
        body = base64.b64decode(vector["body"])
        verdict = vector["expected"]
        expected = verdict["serviceSignature"] and verdict["webhookSignature"]
        found = any(is_genuine(secret, headers, body, content["now"]) for secret in vector["secrets"])
        print(json.dumps({"check": vector["name"], "ok": found == expected, "detail": str(found)}))
`;

async function generateByOpenapiPythonClient(folder: string, document: string): Promise<void> {
  const config = join(source, 'openapi-python-client.yaml');
  const output = join(cache, folder, 'tradepost_client');
  await makeOnce(join(cache, folder), [requirements, config, document], () =>
    run(
      inEnvironment('openapi-python-client', [
        ...['generate', '--meta', 'none', '--fail-on-warning'],
        ...['--config', config, '--path', document, '--output-path', output],
      ]),
    ),
  );
}

async function generateByOpenapiGenerator(
  folder: string,
  document: string,
  options: string,
): Promise<void> {
  await makeOnce(join(cache, folder), [requirements, document], () =>
    run(
      inEnvironment('openapi-generator-cli', [
        ...['generate', '--generator-name', 'python', '--input-spec', document],
        ...['--output', join(cache, folder)],
        ...['--additional-properties', `packageName=tradepost_client${options}`],
      ]),
    ),
  );
}

describeLanguage(
  'Python',
  [
    ['python3', '--version'],
    ['java', '-version'],
    ['cc', '--version'],
  ],
  () => {
    beforeAll(async () => {
      await install();
      await generateByOpenapiPythonClient('openapi-python-client', documents['3.1']);
      await generateByOpenapiPythonClient('openapi-python-client-tolerant', documents.tolerant);
      await generateByOpenapiGenerator('openapi-generator', documents['3.0'], '');
      await generateByOpenapiGenerator(
        'openapi-generator-unknown',
        documents['3.0'],
        ',enumUnknownDefaultCase=true',
      );
      await generateByOpenapiGenerator('openapi-generator-tolerant', documents.tolerant, '');
    });

    describeVerification('standardwebhooks 1.1.0', (file) => python('verify.py', [file]));

    describeClient({
      title: 'openapi-python-client 0.29.1, literal_enums',
      job: python('openapi_python_client_job.py', [], 'openapi-python-client'),
      newer: python('openapi_python_client_newer.py', [], 'openapi-python-client'),
      outcomes: {
        field: { reads: /^high$/ },
        status: { rejects: /Unexpected value 'archived'/ },
        type: { rejects: /event must match const/ },
      },
    });

    describeClient({
      title: 'openapi-python-client 0.29.1, literal_enums, from openapi-tolerant.json',
      job: python('openapi_python_client_job.py', [], 'openapi-python-client-tolerant'),
      newer: python('openapi_python_client_newer.py', [], 'openapi-python-client-tolerant'),
      outcomes: {
        field: { reads: /^high$/ },
        status: { reads: /^archived$/ },
        type: { reads: /^order\.archived as OtherEvent$/ },
      },
    });

    describeClient({
      title: 'openapi-generator 7.25.0 (python)',
      job: python('openapi_generator_job.py', [], 'openapi-generator'),
      newer: python('openapi_generator_newer.py', [], 'openapi-generator'),
      outcomes: {
        field: { reads: /\w+$/ },
        status: { rejects: /input_value='archived'/ },
        type: { rejects: /AccountEvent/ },
      },
    });

    describeClient({
      title: 'openapi-generator 7.25.0 (python), enumUnknownDefaultCase',
      newer: python('openapi_generator_newer.py', [], 'openapi-generator-unknown'),
      outcomes: {
        field: { reads: /\w+$/ },
        status: { rejects: /archived/ },
        type: { rejects: /AccountEvent/ },
      },
    });

    describeClient({
      title: 'openapi-generator 7.25.0 (python), from openapi-tolerant.json',
      job: python('openapi_generator_job.py', [], 'openapi-generator-tolerant'),
      newer: python('openapi_generator_newer.py', [], 'openapi-generator-tolerant'),
      outcomes: {
        field: { reads: /^\w+$/ },
        status: { reads: /^archived$/ },
        type: { reads: /^order\.archived as OtherEvent$/ },
      },
    });

    describeCodeSamples('Python', {
      createProgram: (_, sample) => inEnvironment('python', ['-c', sample]),
    });

    describe('receivers', () => {
      const receive = async (headers: Record<string, string>, body: string) => {
        const call = 'import json, sys\nreceive(json.loads(sys.argv[1]), sys.argv[2].encode())';
        const program = `${readReceiverSample('Python')}\n\n\n${call}`;
        const { env, ...command } = inEnvironment('python', [
          ...['-c', program, JSON.stringify(headers), body],
        ]);
        return run({ ...command, env: { ...env, TRADEPOST_WEBHOOK_SECRET: receiverSecret } });
      };

      it('the code sample accepts a delivery and rejects a changed one', async () => {
        const { headers, body } = await createDelivery();
        expect(await receive(headers, body)).toBe('ord_7 fulfilling\n');
        await expect(receive(headers, `${body} `)).rejects.toThrow('WebhookVerificationError');
      });

      it('the snippet of RECEIVING.md accepts its test vector', async () => {
        const snippets = readReceivingSnippets('python');
        expect(snippets).toHaveLength(1);
        for (const snippet of snippets) await run(inEnvironment('python', ['-c', snippet]));
      });

      it('the snippet of RECEIVING.md agrees with the test vectors', async () => {
        const [snippet = ''] = readReceivingSnippets('python');
        const results = await runChecks(
          inEnvironment('python', ['-c', `${snippet}\n\n${checkVectors}`, ...vectorFiles]),
        );
        expect(results.length).toBeGreaterThan(50);
        expect(results.filter(({ ok }) => !ok)).toEqual([]);
      });
    });
  },
);
