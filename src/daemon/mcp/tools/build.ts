import { z } from 'zod'
import { fields, parseWith } from '../../../core/validation/index.js'
import { answerSchema, type JsonSchema, requestSchema } from '../../openapi/json-schema.js'
import type { NamedOperation } from '../../operations/named.js'
import type { Hints, Mapping, ToolFacts } from '../../operations/tool-facts.js'
import { argumentSchema, inArguments, payloadOf } from './mapping.js'
import { ARGUMENT_TEXTS } from './texts.js'
import type { Arguments, Group, Tool, ToolContext } from './tool.js'

/** The argument against double execution, of tools whose operation takes an Idempotency-Key. */
const KEY = 'idempotency_key'
const keyField = fields.text().min(1, 'Length must be between 1 and 255.').optional()
const keyArgument = z.strictObject({ [KEY]: keyField })

/** Returns the tool that is one operation of the API. */
export function operationTool(row: NamedOperation, facts: ToolFacts): Tool {
  const takesKey = row.headers?.includes('Idempotency-Key') ?? false
  const run: Tool['run'] = async (given, context) => {
    try {
      const { idempotencyKey, rest } = takesKey ? keyIn(given) : { rest: given }
      return await context.ask(row.name, payloadOf(facts, rest), { idempotencyKey })
    } catch (error) {
      throw inArguments(error, facts)
    }
  }
  const { hints = {}, name, scope, title, toolset } = facts
  return {
    name,
    title,
    scope,
    toolset,
    hints,
    changes: row.changes ?? false,
    risk: 'broker_structured',
    operation: row.name,
    takesKey,
    run,
    description: [row.summary, facts.more].filter(Boolean).join(' '),
    input: once(() => inputOf(row, facts, takesKey)),
    output: once(() => outputOf(row)),
  }
}

/** Takes the key out of the arguments. @throws ServiceError `validation` */
function keyIn({ [KEY]: key, ...rest }: Arguments): { idempotencyKey?: string | undefined; rest: Arguments } {
  return { idempotencyKey: parseWith(keyArgument, { [KEY]: key })[KEY], rest }
}

interface ComputedTool<I extends z.ZodType> {
  title: string
  description: string
  hints?: Hints
  input: I
  /** The answer; the compiler does not check it, the tests do. */
  output: z.ZodType
  run(input: z.output<I>, context: ToolContext): Promise<object>
}

/** Returns a function that makes tools which compute their answer from several operations. */
export function computedTools(group: Group) {
  return <I extends z.ZodType>(name: string, facts: ComputedTool<I>): Tool => ({
    changes: false,
    risk: 'broker_structured',
    ...group,
    name,
    title: facts.title,
    description: facts.description,
    hints: facts.hints ?? {},
    takesKey: false,
    input: once(() => described(requestSchema(facts.input))),
    output: once(() => objectSchema(answerSchema(facts.output))),
    run: async (given, context) => facts.run(parseWith(facts.input, given), context),
  })
}

function inputOf(row: NamedOperation, mapping: Mapping, takesKey: boolean): JsonSchema {
  const schema = described(argumentSchema(row.body ? requestSchema(row.body) : { type: 'object' }, mapping))
  if (!takesKey) return schema
  const key = { ...requestSchema(keyField), minLength: 1, description: ARGUMENT_TEXTS[KEY] }
  return { ...schema, properties: { ...schema.properties, [KEY]: key } }
}

function outputOf({ answer, name }: NamedOperation): JsonSchema {
  if (!answer) throw new Error(`${name} has no answer that a tool could return`)
  return objectSchema(answerSchema(answer))
}

/** The protocol wants an object; every answer is one, also when its schema lists alternatives. */
function objectSchema(schema: JsonSchema): JsonSchema {
  return { type: 'object', ...schema }
}

/** Adds the meaning of arguments to a schema, also inside lists. */
function described(schema: JsonSchema): JsonSchema {
  const { items, properties } = schema
  return {
    type: 'object',
    ...schema,
    ...(items && { items: described(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, withText(name, one)]),
      ),
    }),
  }
}

function withText(name: string, schema: JsonSchema): JsonSchema {
  const inside = schema.items ? { ...schema, items: described(schema.items) } : schema
  const text = Object.hasOwn(ARGUMENT_TEXTS, name) ? ARGUMENT_TEXTS[name] : undefined
  return text === undefined ? inside : { ...inside, description: text }
}

/** Schemas are built when somebody asks for them: the start of the daemon needs none. */
function once<T>(build: () => T): () => T {
  let built: { value: T } | undefined
  return () => {
    built ??= { value: build() }
    return built.value
  }
}
