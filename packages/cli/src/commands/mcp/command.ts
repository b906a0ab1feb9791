import type { Command } from 'commander';
import { version } from '../../../package.json';
import { createClientFor } from '../../client/create-client';
import { resolveSettings } from '../../config/settings';
import type { CliContext } from '../../context';
import { CliError } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import type { GlobalOptions } from '../../input/options';
import { printNotice } from '../../output/print';
import { createReadTools } from './read-tools';
import { runTool, type Tool } from './tool';
import { createWriteTools } from './write-tools';

interface Options extends GlobalOptions {
  allowWrites?: true;
}

/** `tradepost mcp` */
export function configure(command: Command, context: CliContext): void {
  command
    .option('--allow-writes', 'also offer tools that change orders, notifications and webhooks')
    .action(() => serve(command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    Examples: [
      '$ tradepost mcp < /dev/null',
      '$ tradepost mcp --profile staging --allow-writes < /dev/null',
    ],
    Output: ['Messages of the Model Context Protocol on stdin and stdout.'],
    Notes: [
      'For programs that speak this protocol: they start `tradepost mcp` themselves. It runs until stdin ends.',
      'Tools that read: whoami, list_orders, get_order, list_notifications, list_events, list_webhooks, get_webhook, list_deliveries, get_delivery.',
      'With --allow-writes: set_order_status, mark_notification_read, pause_webhook, resume_webhook, replay_delivery. Each reads the state first and returns the state before and after; set_order_status and replay_delivery change nothing if the state is not the expected one.',
    ],
  });
}

async function serve(options: Options, context: CliContext): Promise<void> {
  const settings = resolveSettings(context, options);
  const client = createClientFor(settings, context, options);
  const stdin = context.stdin();
  if (stdin.isTTY === true) {
    throw new CliError(
      'usage',
      'Stdin is a terminal: `tradepost mcp` is started by a program that speaks the Model Context Protocol',
      'Add it to the settings of that program: command `tradepost`, argument `mcp`.',
    );
  }
  const protocol = await import('../../lazy/mcp');
  const server = new protocol.McpServer(
    { name: 'tradepost', version },
    { instructions: describeServer(settings.baseUrl, options) },
  );
  const tools: Tool[] = [
    ...createReadTools(client, protocol),
    ...(options.allowWrites ? createWriteTools(client, protocol) : []),
  ];
  for (const { name, title, description, input, isChange, run } of tools) {
    const annotations = {
      title,
      readOnlyHint: !isChange,
      destructiveHint: isChange,
      idempotentHint: name !== 'replay_delivery',
      openWorldHint: false,
    };
    server.registerTool(
      name,
      // Strict: a call without a mistyped filter would return more than was asked for.
      { title, description, inputSchema: protocol.strictObject(input), annotations },
      (args: Record<string, unknown>, { signal }: { signal: AbortSignal }) =>
        runTool(() => run(args, { signal: AbortSignal.any([signal, context.signal]) })),
    );
  }
  const ended = new Promise<void>((resolve) => {
    for (const end of ['end', 'close', 'error'] as const) stdin.once(end, resolve);
    context.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const transport = new protocol.StdioServerTransport(stdin, context.stdout);
  transport.onerror = (error) => printNotice(context, `Ignored a message: ${error.message}`);
  await server.connect(transport);
  await ended;
  await server.close();
  if (context.signal.aborted) throw new CliError('interrupted', 'Interrupted');
}

function describeServer(baseUrl: string, { allowWrites }: Options): string {
  return [
    `Orders, notifications and webhooks of the trade platform at ${baseUrl}.`,
    'An order is pending, confirmed, fulfilling, completed or cancelled; the last two are final.',
    allowWrites
      ? 'Before you change something, read it, and confirm the change with the user.'
      : 'All tools only read.',
  ].join(' ');
}
