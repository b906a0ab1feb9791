import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { InputStream } from '../../context';
import { isRecord } from '../../errors/cli-error';

/** The only version of the protocol that has batches, which no client is known to send. The one before it is used instead. */
const [versionWithBatches, versionBefore] = ['2025-03-26', '2024-11-05'];

/** Codes of JSON-RPC 2.0, section 5.1. */
const [parseError, invalidRequest, invalidParams] = [-32_700, -32_600, -32_602];

/** Splits a stream into lines, also the last one. JSON may contain the other line ends of Unicode. */
async function* readLines(stdin: InputStream): AsyncIterable<string> {
  let rest = '';
  for await (const chunk of stdin.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

/**
 * The stdio transport of the protocol. Unlike that of the official SDK, it ends only when every request has its response,
 * and responds to what is not a message.
 */
export class StdioTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  readonly #stdin: InputStream;
  readonly #writeText: (text: string) => Promise<void>;
  readonly #parse: (value: unknown) => JSONRPCMessage | null;
  /** The requests that have no response yet. */
  readonly #requests = new Set<RequestId>();
  #onSettled = () => {};

  /** @param parse returns null for what is not a message */
  constructor(
    stdin: InputStream,
    write: (text: string) => Promise<void>,
    parse: (value: unknown) => JSONRPCMessage | null,
  ) {
    this.#stdin = stdin;
    this.#writeText = write;
    this.#parse = parse;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.#stdin.destroy();
    this.onclose?.();
  }

  /** Reads to the end of the input, and returns when the last response is written. */
  async run(): Promise<void> {
    for await (const line of readLines(this.#stdin)) {
      if (line.trim() !== '') await this.#receive(line);
    }
    await this.#idle();
  }

  /** Resolves when every request has its response. */
  async #idle(): Promise<void> {
    while (this.#requests.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onSettled = resolve;
      });
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write('error' in message ? clarify(message) : message);
    if (!('method' in message)) this.#settle(message.id);
  }

  async #receive(line: string): Promise<void> {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return await this.#write(toError(null, parseError, 'Parse error: the line is not JSON'));
    }
    const message = this.#parse(value);
    const reject = (reason: string) =>
      this.#write(
        toError(isRecord(value) ? value.id : null, invalidRequest, `Invalid request: ${reason}`),
      );
    if (Array.isArray(value)) return await reject('there are no batches in this version');
    if (message === null) return await reject('it is not a message of JSON-RPC 2.0');
    if (!('method' in message)) return this.onmessage?.(message);
    if ('id' in message) {
      if (this.#requests.has(message.id)) return await reject('its ID is in use');
      this.#requests.add(message.id);
    }
    const { params } = message;
    const isOfBatches = params?.protocolVersion === versionWithBatches;
    const negotiable = { ...message, params: { ...params, protocolVersion: versionBefore } };
    this.onmessage?.(isOfBatches && message.method === 'initialize' ? negotiable : message);
    // It gets no response.
    if (message.method === 'notifications/cancelled') this.#settle(params?.requestId as RequestId);
  }

  #settle(id: RequestId | undefined): void {
    if (id !== undefined) this.#requests.delete(id);
    this.#onSettled();
  }

  async #write(message: unknown): Promise<void> {
    await this.#writeText(`${JSON.stringify(message)}\n`);
  }
}

/** JSON-RPC requires an ID of null where that of the request is unknown. */
function toError(id: unknown, code: number, message: string): JSONRPCMessage {
  const known = typeof id === 'string' || typeof id === 'number' ? id : null;
  return { jsonrpc: '2.0', id: known as RequestId, error: { code, message } };
}

/** Rewords an error whose message is the list of issues that the SDK found in the parameters. */
function clarify(message: Extract<JSONRPCMessage, { error: unknown }>): JSONRPCMessage {
  if (!message.error.message.startsWith('[')) return message;
  const issues = JSON.parse(message.error.message) as { path: string[]; message: string }[];
  const texts = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  return toError(message.id, invalidParams, `Invalid params: ${texts.join('; ')}`);
}
