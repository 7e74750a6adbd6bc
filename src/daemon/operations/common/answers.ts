import { z } from 'zod'

/**
 * Shared parts of the answers. The shapes are strict, so that a test finds every member that the OpenAPI
 * document omits. The document itself allows new members, and clients must accept them.
 */
export const text = z.string()
export const amount = z.number()
export const count = z.number().int()
export const message = z.string()
/** An ISO 8601 instant in UTC. */
export const instant = z.string().meta({ format: 'date-time' })
export const simulated = z.literal('analyze').optional().meta({ description: 'Present in Analyzer mode.' })

export const ok = <S extends z.ZodRawShape>(shape: S) =>
  z.strictObject({ status: z.literal('success'), ...shape })

export const messageOnly = ok({ message })

/** A problem in the graph of a workflow. `key` names its file. */
const graphProblem = z.strictObject({
  key: text.optional(),
  path: text,
  code: text,
  message,
  expected: z.unknown().optional(),
  received: z.unknown().optional(),
})

/** The common error envelope: the members that every refusal may have. */
export const errorBody = z
  .strictObject({
    status: z.literal('error'),
    message: z.string().meta({ description: 'A sentence to show to a user.' }),
    errors: z
      .union([z.record(z.string(), z.array(z.string())), z.array(graphProblem)])
      .optional()
      .meta({
        description: 'The errors by field for a malformed request, or the problems of a workflow.',
      }),
    success: z.literal(false).optional().meta({ description: 'Present on the mail routes.' }),
    retry_after: z.number().optional().meta({ description: 'Seconds.' }),
    mode: simulated,
    rule: z.string().optional().meta({ description: 'The risk rule that refused the order.' }),
    orderid: z.string().optional().meta({ description: 'The id of an order that was stored as rejected.' }),
    order_ref: z.string().optional().meta({ description: 'The reference of an order in doubt: follow it.' }),
    path: z.string().optional().meta({ description: 'Present for an address that does not exist.' }),
    error: z
      .string()
      .optional()
      .meta({ description: 'The same text again, for clients that read this member.' }),
    error_description: z
      .string()
      .optional()
      .meta({ description: 'The same text again, for clients of OAuth.' }),
    suggestion: z.string().optional().meta({ description: 'What to do instead.' }),
    invalid_symbols: z.array(z.strictObject({ symbol: text, exchange: text, error: text })).optional(),
    closed_positions: count.optional(),
    failed_closures: count.optional(),
    total_quantity: z.number().optional().meta({ description: 'Of an order that was sent in pieces.' }),
    split_size: z.number().optional(),
    results: z.array(z.record(z.string(), z.unknown())).optional(),
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'The empty value that a screen shows instead of the list.' }),
  })
  .meta({ description: 'A refusal. The header X-Svc-Code holds its error code.' })

/** What an order asks of the broker beside its terms, as answers show it. */
export const instructionShape = {
  validity: z.enum(['DAY', 'IOC', 'TTL']).optional(),
  validity_ttl: count.optional(),
  amo: z.boolean().optional(),
  iceberg_legs: count.optional(),
  market_protection: amount.optional(),
  algo_id: text.optional(),
}
