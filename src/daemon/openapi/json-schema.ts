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
 * Returns the JSON Schema of a request. It describes the input, not the parsed value. Limits that only code
 * checks are missing.
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

/** Returns the JSON Schema of an answer. It allows unknown members, because later versions may add some. */
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

/** Removes the bounds of a safe integer: their sixteen digits tell a reader nothing. */
function withoutSafeBounds(schema: { minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/** Returns a schema as plain data without `$schema`: the document names the dialect once. */
function plain(schema: object): JsonSchema {
  const { $schema: _, ...rest }: JsonSchema = JSON.parse(JSON.stringify(schema))
  return rest
}
