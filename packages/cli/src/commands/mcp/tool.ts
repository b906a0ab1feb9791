import type { Tradepost } from '@tradepost/sdk';
import type { ZodObject, ZodType } from 'zod';
import { redactSecrets } from '../../output/redact';
import { describeError } from '../../report/error-report';
import { formatResult, type Structured } from './result';
import { formatToolHints } from './tool-hints';

/** Loads the library of the protocol. */
export const loadProtocol = () => import('../../lazy/mcp');

export type Protocol = Awaited<ReturnType<typeof loadProtocol>>;

export type Client = Tradepost;

export type ToolRequest = { signal: AbortSignal };

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** The arguments: they are valid when it runs. */
  input: Record<string, ZodType>;
  /** The fields of the result. */
  output: ZodObject;
  /** Absent for a tool that changes nothing. */
  change?: {
    /** Whether it may end or stop something. */
    isDestructive: boolean;
    /** Whether a second call with the same arguments has no further effect. */
    isIdempotent: boolean;
    /** Whether it leads to requests to receivers of webhooks. */
    isOpenWorld: boolean;
  };
  run(args: Record<string, unknown>, request: ToolRequest): Promise<object>;
}

export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Structured;
  isError?: true;
  [key: string]: unknown;
}

/** Creates the result that reports an error. */
export function toErrorResult(...lines: (string | null | undefined)[]): ToolResult {
  const text = redactSecrets(lines.filter(Boolean).join('\n'));
  return { content: [{ type: 'text', text }], isError: true };
}

/**
 * Runs a tool. It never rejects: an error is a result that says what to do.
 *
 * @param offered the names of the tools that the advice may name
 */
export async function runTool(
  run: () => Promise<object>,
  offered: ReadonlySet<string>,
): Promise<ToolResult> {
  try {
    const { text, structured } = formatResult(await run());
    return { content: [{ type: 'text', text }], structuredContent: structured };
  } catch (error) {
    const report = describeError(error);
    const { title, details, requestId } = report;
    const advice = formatToolHints(report, offered);
    return toErrorResult(title, ...details, advice, requestId && `Request ID: ${requestId}`);
  }
}
