import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

/** The daemon's answer to a message. */
interface DaemonAnswer {
  status: number
  body: unknown
  code: string | undefined
}

/** Sends a message to the daemon. @throws CliError without an answer */
export type Post = (message: JSONRPCMessage) => Promise<DaemonAnswer>

/**
 * Passes the messages of an assistant to the daemon and the answers back, until the assistant closes its end. A call
 * that gets no answer is answered here: whether it may be repeated, or what to look at first.
 */
export async function bridge(assistant: Transport, post: Post, closed: Promise<void>): Promise<void> {
  const running = new Set<Promise<void>>()
  assistant.onmessage = (message) => {
    const answered = answer(message, post).then((reply) => (reply ? assistant.send(reply) : undefined))
    running.add(answered)
    void answered.finally(() => running.delete(answered))
  }
  // A line that is no message has no id to answer to (JSON-RPC 2.0, 5.1).
  assistant.onerror = (error) => void assistant.send(unreadable(error)).catch(() => undefined)
  await assistant.start()
  await closed
  // The answers of calls in flight: whoever closed its end may still read.
  await Promise.allSettled(running)
  await assistant.close()
}

async function answer(message: JSONRPCMessage, post: Post): Promise<JSONRPCMessage | undefined> {
  const request = 'method' in message && 'id' in message ? message : undefined
  try {
    const { body, code, status } = await post(message)
    const reply = JSONRPCMessageSchema.safeParse(body)
    if (reply.success) return reply.data
    // A notification has no answer.
    if (!request) return undefined
    const text = messageIn(body) ?? `The daemon answered ${status}.`
    return failed(request, text, { type: code ?? 'failed', unclear: status >= 500 && code !== 'unavailable' })
  } catch (thrown) {
    if (!request) return undefined
    const known = thrown instanceof CliError ? thrown : undefined
    const text = [known?.message ?? 'The call failed.', known?.hint].filter(Boolean).join(' ')
    const unclear = known === undefined || known.exit === EXIT.unknown
    return failed(request, text, { type: known?.code ?? 'failed', unclear })
  }
}

/** Returns the answer to a request that failed on its way. A tool answers in its result, so that the assistant reads it. */
function failed(
  { id, method }: JSONRPCRequest,
  message: string,
  { type, unclear }: { type: string; unclear: boolean },
): JSONRPCMessage {
  if (method !== 'tools/call') return { jsonrpc: '2.0', id, error: { code: -32603, message } }
  const check = {
    verify_first: true,
    verify_with: 'get_order_book and get_position_book; or repeat the call with the same idempotency_key',
  }
  const error = { message, error_type: type, retry_safe: !unclear, ...(unclear && check) }
  const content = [{ type: 'text', text: JSON.stringify({ error }) }]
  return { jsonrpc: '2.0', id, result: { content, isError: true } }
}

function unreadable(error: Error): JSONRPCMessage {
  const fault =
    error instanceof SyntaxError
      ? { code: -32700, message: 'Parse error: the line is not JSON.' }
      : { code: -32600, message: 'Invalid request: the line is not a message of JSON-RPC 2.0.' }
  return { jsonrpc: '2.0', error: fault }
}

function messageIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('message' in body)) return undefined
  return typeof body.message === 'string' ? body.message : undefined
}
