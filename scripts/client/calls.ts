import { answerSchema, type JsonSchema, requestSchema } from '../../src/daemon/openapi/json-schema.js'
import { ALL_OPERATION_LIST, type NamedOperation } from '../../src/daemon/operations/all.js'
import { comment, inBraces, typeText } from './type-text.js'

/** A call of the typed client, with its types as TypeScript. */
export interface ClientCall {
  /** Method and path, such as `POST /api/v1/placeorder`. */
  route: string
  /** The area of the reference. */
  tag: string
  summary: string
  /** What the caller gives. */
  request: string
  /** The body of a success; `undefined` when the route answers with a file or a stream. */
  answer: string
}

/** Returns every call of the typed client, in the order of the reference, from the definitions of the operations. */
export function clientCalls(indent = ''): readonly ClientCall[] {
  return ALL_OPERATION_LIST.map((operation) => ({
    route: `${operation.method} ${operation.path}`,
    tag: operation.tag,
    summary: operation.summary,
    request: inBraces(requestMembers(operation, `${indent}  `), indent),
    answer: operation.answer === undefined ? 'undefined' : typeText(answerSchema(operation.answer), indent),
  }))
}

function requestMembers({ params, query, body, bodyOptional }: NamedOperation, indent: string): string[] {
  const inPath = Object.entries(params ?? {}).flatMap(([name, description]) => [
    ...comment(description),
    `${name}: string`,
  ])
  return [
    ...(inPath.length === 0 ? [] : [`params: ${inBraces(inPath, indent)}`]),
    ...(query === undefined ? [] : [`query?: ${typeText(optional(requestSchema(query)), indent)}`]),
    ...(body === undefined
      ? []
      : [`body${bodyOptional ? '?' : ''}: ${typeText(requestSchema(body), indent)}`]),
  ]
}

/** Every parameter of a query may be left out: the daemon names those that it needs. */
function optional(schema: JsonSchema): JsonSchema {
  return { ...schema, required: [] }
}
