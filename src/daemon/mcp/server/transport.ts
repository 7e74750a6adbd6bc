import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'

/** How often an open stream shows that it lives. */
const KEEP_ALIVE_MS = 15_000

/**
 * Answers one message with a server that was made for its caller. The transport has no sessions: each message is checked and answered by itself.
 * @param message the parsed body
 */
export async function answerMessage(request: Request, message: unknown, server: Server): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}

/** Opens a stream that only shows that the connection lives. @returns the answer, and what ends the stream */
export async function openStream(request: Request): Promise<{ answer: Response; close: () => void }> {
  const transport = new WebStandardStreamableHTTPServerTransport({ keepAliveMs: KEEP_ALIVE_MS })
  await transport.start()
  return { answer: await transport.handleRequest(request), close: () => void transport.close() }
}
