import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { InputStream } from '../../context';
import { isRecord } from '../../errors/cli-error';

/** The only version of the protocol that has batches. */
const versionWithBatches = '2025-03-26';

/** Codes of JSON-RPC 2.0, section 5.1. */
const [parseError, invalidRequest, invalidParams] = [-32_700, -32_600, -32_602];

/** What arrived in one line. */
interface Received {
  isBatch: boolean;
  /** The requests that have no response yet. */
  open: Set<RequestId>;
  responses: JSONRPCMessage[];
}

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
 * takes batches in the version that has them, and responds to what is not a message.
 */
export class StdioTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  readonly #stdin: InputStream;
  readonly #writeText: (text: string) => Promise<void>;
  readonly #parse: (value: unknown) => JSONRPCMessage | null;
  readonly #requests = new Map<RequestId, Received>();
  #onSettled = () => {};
  #version: unknown;

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
    if ('method' in message) return await this.#write(message);
    if ('result' in message) this.#version = message.result.protocolVersion ?? this.#version;
    await this.#settle(message.id, 'error' in message ? clarify(message) : message);
  }

  async #receive(line: string): Promise<void> {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return await this.#write(toError(null, parseError, 'Parse error: the line is not JSON'));
    }
    const isBatch = Array.isArray(value);
    const reject = (reason: string, id: unknown = null) =>
      toError(id, invalidRequest, `Invalid request: ${reason}`);
    if (isBatch && this.#version !== versionWithBatches) {
      return await this.#write(reject(`only version ${versionWithBatches} has batches`));
    }
    const parts = isBatch ? (value as unknown[]) : [value];
    if (parts.length === 0) return await this.#write(reject('the batch is empty'));
    const received: Received = { isBatch, open: new Set(), responses: [] };
    const messages = parts.flatMap((part) => {
      const message = this.#parse(part);
      const id = isRecord(part) ? part.id : undefined;
      if (message === null) {
        received.responses.push(reject('it is not a message of JSON-RPC 2.0', id));
        return [];
      }
      if (!('method' in message && 'id' in message)) return [message];
      if (this.#requests.has(message.id)) {
        received.responses.push(reject('its ID is in use', id));
        return [];
      }
      received.open.add(message.id);
      this.#requests.set(message.id, received);
      return [message];
    });
    if (received.open.size === 0) await this.#respond(received);
    for (const message of messages) {
      this.onmessage?.(message);
      if (!('method' in message)) continue;
      // The next line depends on the version.
      if (message.method === 'initialize') await this.#idle();
      // It gets no response.
      if (message.method === 'notifications/cancelled') {
        await this.#settle(message.params?.requestId as RequestId);
      }
    }
  }

  async #settle(id: RequestId | undefined, response?: JSONRPCMessage): Promise<void> {
    const received = id === undefined ? undefined : this.#requests.get(id);
    if (id === undefined || received === undefined) return;
    received.open.delete(id);
    if (response !== undefined) received.responses.push(response);
    if (received.open.size === 0) await this.#respond(received);
    this.#requests.delete(id);
    this.#onSettled();
  }

  async #respond({ isBatch, responses }: Received): Promise<void> {
    if (responses.length > 0) await this.#write(isBatch ? responses : responses[0]);
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
