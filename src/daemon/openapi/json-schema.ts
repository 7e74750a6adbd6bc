import { z } from 'zod'

/** The part of JSON Schema (2020-12) that the document uses. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  description?: string
  format?: string
  const?: unknown
  default?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
  [keyword: string]: unknown
}

/**
 * What a request may look like. What goes in is described, not what parsing makes of it; limits that only code knows
 * stay untold.
 */
export function requestSchema(schema: z.ZodType): JsonSchema {
  return plain(
    z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ jsonSchema }) => withoutSafeBounds(jsonSchema),
    }),
  )
}

/** What an answer looks like. Later versions may add members, so none are forbidden. */
export function answerSchema(schema: z.ZodType): JsonSchema {
  return plain(
    z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        withoutSafeBounds(jsonSchema)
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      },
    }),
  )
}

/** "A whole number that fits" needs no bounds of sixteen digits. */
function withoutSafeBounds(schema: { minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/** The same as plain data, without the mark of its dialect: the document names it once. */
function plain(schema: object): JsonSchema {
  const { $schema: _, ...rest }: JsonSchema = JSON.parse(JSON.stringify(schema))
  return rest
}
