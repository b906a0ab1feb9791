import process from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Tradepost } from '@tradepost/sdk';
import { onTestFinished } from 'vitest';
import { cleanEnvironment } from '../../../helpers/clean-environment';
import { forTest } from '../../../helpers/for-test';
import { tradepostBin } from '../../../helpers/programs';
import { startSeededServer } from '../../../helpers/start-seeded-server';

/** What a tool returned. */
export interface ToolResult {
  isError: boolean;
  /** What a client shows to a model that does not use the fields. */
  text: string;
  data: Record<string, unknown>;
}

/** Starts `tradepost mcp` as an assistant does, with the official client, for the seller of a service with demo data. */
export async function startAssistant(
  args: readonly string[] = [],
  serverArgs: readonly string[] = [],
) {
  const seeded = await forTest(startSeededServer(serverArgs));
  const env = seeded.createEnvironment(seeded.seller);
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [tradepostBin, 'mcp', ...args],
    env: cleanEnvironment(env) as Record<string, string>,
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    seeded,
    client,
    seller: new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.seller.apiKey }),
    /** Calls a tool. The client checks the fields of its result against the output schema of the tool. */
    async call(name: string, input: Record<string, unknown> = {}): Promise<ToolResult> {
      const result = await client.callTool({ name, arguments: input });
      const [first] = result.content as { text: string }[];
      return {
        isError: result.isError === true,
        text: first?.text ?? '',
        data: (result.structuredContent ?? {}) as Record<string, unknown>,
      };
    },
  };
}
