import { z } from 'zod'

const id = z.union([z.string(), z.number()]).nullable().optional()

/** The answer to a request of the protocol. A notification has none. */
export const rpcAnswer = z.union([
  z.looseObject({ jsonrpc: z.literal('2.0'), id, result: z.looseObject({}) }),
  z.looseObject({
    jsonrpc: z.literal('2.0'),
    id,
    error: z.looseObject({ code: z.number().int(), message: z.string() }),
  }),
])

export const mcpHealth = z.strictObject({ status: z.literal('ok'), service: z.literal('svc-mcp') })
