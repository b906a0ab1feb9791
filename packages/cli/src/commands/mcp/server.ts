import type { ZodError } from 'zod';
import { guides, resources } from './guides';
import { type Protocol, runTool, type Tool, toErrorResult } from './tool';

interface ServerOptions {
  version: string;
  instructions: string;
  /** The names of the tools. */
  offered: ReadonlySet<string>;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

type Server = InstanceType<Protocol['Server']>;

/** Creates the server of some tools, with resources and prompts that use them. What it offers never changes. */
export function createServer(
  protocol: Protocol,
  tools: readonly Tool[],
  { version, instructions, offered, signal }: ServerOptions,
): Server {
  const server = new protocol.Server(
    { name: 'tradepost', version },
    { capabilities: { tools: {}, prompts: {}, resources: {} }, instructions },
  );
  const find = (name: string) => tools.find((tool) => tool.name === name);

  server.setRequestHandler(protocol.ListToolsRequestSchema, () => ({
    tools: tools.map((tool) => describeTool(protocol, tool)),
  }));

  server.setRequestHandler(protocol.CallToolRequestSchema, async ({ params }, extra) => {
    const tool = find(params.name);
    if (tool === undefined) {
      throw rejection(`Unknown tool ${params.name}. There are: ${[...offered].join(', ')}`);
    }
    // Strict: a call without a mistyped filter would return more than was asked for.
    const args = protocol.strictObject(tool.input).safeParse(params.arguments ?? {});
    if (!args.success) return toErrorResult(describeIssues(tool, args.error));
    const request = { signal: AbortSignal.any([extra.signal, signal]) };
    return await runTool(() => tool.run(args.data, request), offered);
  });

  const readable = resources.filter(({ tool }) => offered.has(tool));
  server.setRequestHandler(protocol.ListResourcesRequestSchema, () => ({ resources: [] }));
  server.setRequestHandler(protocol.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: readable.map(({ noun, tool, prefix }) => ({
      uriTemplate: `tradepost://${noun}/{id}`,
      name: noun,
      description: `${find(tool)?.description} IDs begin with ${prefix}_.`,
      mimeType: 'text/plain',
    })),
  }));
  server.setRequestHandler(protocol.ReadResourceRequestSchema, async ({ params }, extra) => {
    const [, noun, id] = /^tradepost:\/\/(\w+)\/([^/]+)$/.exec(params.uri) ?? [];
    const tool = find(readable.find((one) => one.noun === noun)?.tool ?? '');
    if (tool === undefined) throw rejection(`There is no resource ${params.uri}`, -32_002);
    const request = { signal: AbortSignal.any([extra.signal, signal]) };
    const { isError, content } = await runTool(() => tool.run({ id }, request), offered);
    const text = content[0]?.text ?? '';
    if (isError) throw rejection(text, -32_002);
    return { contents: [{ uri: params.uri, mimeType: 'text/plain', text }] };
  });

  server.setRequestHandler(protocol.ListPromptsRequestSchema, () => ({
    prompts: guides.map(({ name, title, description, argument }) => ({
      ...{ name, title, description },
      arguments: [{ ...argument, required: true }],
    })),
  }));
  server.setRequestHandler(protocol.GetPromptRequestSchema, ({ params }) => {
    const guide = guides.find(({ name }) => name === params.name);
    if (guide === undefined) throw rejection(`There is no prompt ${params.name}`);
    const given = params.arguments?.[guide.argument.name];
    if (given === undefined) throw rejection(`Missing argument ${guide.argument.name}`);
    const content = { type: 'text' as const, text: guide.text(given) };
    return { description: guide.description, messages: [{ role: 'user' as const, content }] };
  });
  return server;
}

function describeTool({ strictObject, toJSONSchema }: Protocol, tool: Tool) {
  const { name, title, description, input, output, change } = tool;
  const toSchema = (schema: Tool['output'], io: 'input' | 'output') => {
    const { $schema: _, ...described } = toJSONSchema(schema, { io });
    return { ...described, type: 'object' as const };
  };
  return {
    ...{ name, title, description },
    inputSchema: toSchema(strictObject(input), 'input'),
    outputSchema: toSchema(output, 'output'),
    annotations: {
      title,
      readOnlyHint: change === undefined,
      destructiveHint: change?.isDestructive ?? false,
      idempotentHint: change?.isIdempotent ?? true,
      openWorldHint: change?.isOpenWorld ?? false,
    },
  };
}

/** Says in one line what is wrong with the arguments of a call. */
function describeIssues({ name, input }: Tool, { issues }: ZodError): string {
  const texts = issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  );
  const known = Object.keys(input).join(', ') || 'none';
  return `Invalid arguments of ${name}: ${texts.join('; ')}. Its arguments: ${known}.`;
}

/** An error of JSON-RPC, by default for invalid parameters. */
function rejection(message: string, code = -32_602): Error {
  return Object.assign(new Error(message), { code });
}
