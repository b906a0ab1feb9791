/** A server of the Model Context Protocol over stdio, and what the schemas of its tools need. */
export { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
export { array, boolean, enum as oneOf, int, strictObject, string, union } from 'zod';
