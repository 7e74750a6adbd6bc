import { keyedChange, open } from '../running.js'
import { mcpHealth, rpcAnswer } from './answers.js'
import { rpcMessage } from './payloads.js'

const anyone = open('Assistants')
const keyed = keyedChange('Assistants', 'api')

const off = ['not_found', 'unavailable'] as const
const EXAMPLE = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

/** The doors of the Model Context Protocol: for assistants with an access token, and for the user's own with the API key. */
export const MCP_OPERATIONS = {
  'POST /mcp': anyone('Takes a message of an assistant that has an access token (Model Context Protocol).', {
    body: rpcMessage,
    example: EXAMPLE,
    answer: rpcAnswer,
    errors: [
      ...off,
      'unauthenticated',
      'forbidden',
      'validation',
      'too_large',
      'unsupported_media',
      'rate_limited',
    ],
  }),
  'GET /mcp': anyone('Opens a stream for an assistant. It only shows that the connection lives.', {
    limit: 'fiveAMinute',
    answerText: 'text/event-stream',
    errors: [...off, 'unauthenticated', 'forbidden', 'rate_limited'],
  }),
  'GET /mcp/healthz': anyone('Succeeds while assistants can connect.', { answer: mcpHealth, errors: off }),
  'POST /api/v1/mcp': keyed(
    "Takes a message of the user's own assistant: svc mcp sends it. The query may choose fewer tools: toolsets, read_only.",
    { body: rpcMessage, example: EXAMPLE, answer: rpcAnswer },
  ),
}
