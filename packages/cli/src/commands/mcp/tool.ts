import type { Tradepost } from '@tradepost/sdk';
import type { array, boolean, int, enum as oneOf, string, union, ZodType } from 'zod';
import { redactSecrets } from '../../output/redact';
import { describeError } from '../../report/error-report';
import { formatHints } from '../../report/hint';

/** What schemas of arguments are made of. It is loaded with the library of the protocol. */
export interface Schemas {
  array: typeof array;
  boolean: typeof boolean;
  int: typeof int;
  oneOf: typeof oneOf;
  string: typeof string;
  union: typeof union;
}

export type Client = Tradepost;

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** The arguments: they are valid when it runs. */
  input: Record<string, ZodType>;
  /** Whether it changes anything. */
  isChange: boolean;
  /** Returns what the tool prints as JSON. */
  run(args: Record<string, unknown>, request: { signal: AbortSignal }): Promise<object>;
}

interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  [key: string]: unknown;
}

/** Runs a tool. It never rejects: an error is a result that says what to do. */
export async function runTool(run: () => Promise<object>): Promise<ToolResult> {
  try {
    const result = await run();
    const text = JSON.stringify(result, null, 2);
    return { content: [{ type: 'text', text }], structuredContent: { ...result } };
  } catch (error) {
    const { title, details, hints, requestId } = describeError(error);
    const lines = [title, ...details, formatHints(hints), requestId && `Request ID: ${requestId}`];
    const text = redactSecrets(lines.filter(Boolean).join('\n'));
    return { content: [{ type: 'text', text }], isError: true };
  }
}
