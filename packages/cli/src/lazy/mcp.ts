/** A server of the Model Context Protocol, and what the schemas of its tools need. */
export { Server } from '@modelcontextprotocol/sdk/server/index.js';
export {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  JSONRPCMessageSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
export {
  array,
  boolean,
  enum as oneOf,
  int,
  looseObject,
  strictObject,
  string,
  toJSONSchema,
  union,
} from 'zod';
