import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Hono } from 'hono'
import { onTestFinished } from 'vitest'
import type { AppEnv } from '../../../src/daemon/process/env.js'

const ADDRESS = 'http://127.0.0.1:5000/mcp'

/** The answer of a tool, as an assistant reads it. */
export interface ToolAnswer {
  isError: boolean
  /** The text, parsed. */
  text: Record<string, unknown>
  structured: Record<string, unknown> | undefined
}

/** Connects the official client to a daemon in this process. */
export async function assistantOn(app: Hono<AppEnv>, token: string) {
  const fetch = async (url: string | URL, init?: RequestInit) => app.request(new Request(url, init), {}, {})
  return assistantAt(ADDRESS, token, fetch)
}

export type Assistant = Awaited<ReturnType<typeof assistantOn>>

/** Connects the official client to an address. */
export async function assistantAt(
  address: string,
  token: string,
  fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>,
) {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(address), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    ...(fetch && { fetch }),
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, call: callerOf(client) }
}

/** Returns a function that calls a tool. The client checks each success against the schema of the tool. */
export function callerOf(client: Client) {
  return async (name: string, given: Record<string, unknown> = {}): Promise<ToolAnswer> => {
    const result = await client.callTool({ name, arguments: given })
    const [first] = Array.isArray(result.content) ? result.content : []
    return {
      isError: result.isError === true,
      text: JSON.parse(String(first?.text)),
      structured: recordOf(result.structuredContent),
    }
  }
}

function recordOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? { ...value } : undefined
}
