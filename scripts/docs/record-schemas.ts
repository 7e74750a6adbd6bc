import { answerSchema, type JsonSchema } from '../../src/daemon/openapi/json-schema.js'
import { ALL_OPERATION_LIST } from '../../src/daemon/operations/all.js'
import { ACCOUNT_RECORDS } from './account-records.js'

/** The folder of the generated schemas. */
export const SCHEMA_FOLDER = 'docs/schemas'

/** A record: the commands that print it, and where an operation has it. A change of its meaning or names is a new version. */
interface RecordFacts {
  version: number
  commands: string
  /** The operation, and the members that lead to the record in its answer; `[]` is an item of a list. */
  from?: readonly [operation: string, ...path: string[]]
}

const RECORDS: Readonly<Record<string, RecordFacts>> = {
  order: { version: 1, commands: 'order list, order status' },
  trade: { version: 1, commands: 'trade list' },
  position: { version: 1, commands: 'position list' },
  holding: { version: 1, commands: 'holding list' },
  fund: { version: 1, commands: 'fund list' },
  why: { version: 1, commands: 'why', from: ['POST /api/v1/why', 'data'] },
  'market-day': {
    version: 1,
    commands: 'market open, market next, market hours',
    from: ['GET /market/hours', 'data', '[]'],
  },
  'refused-order': { version: 1, commands: 'api', from: ['POST /api/v1/refusedorders', 'data', '[]'] },
  approval: {
    version: 1,
    commands: 'approval list, approval show, approval watch',
    from: ['GET /action-center/api/data', 'data', 'orders', '[]'],
  },
  'journal-order': { version: 1, commands: 'order journal', from: ['GET /orders/journal', 'data', '[]'] },
  'audit-entry': { version: 1, commands: 'audit list, audit export', from: ['GET /audit/entries', '[]'] },
  'log-entry': { version: 1, commands: 'api', from: ['GET /logs/entries', 'data', '[]'] },
  'traffic-entry': { version: 1, commands: 'log traffic', from: ['GET /traffic/api/logs', '[]'] },
  'latency-entry': { version: 1, commands: 'log latency', from: ['GET /latency/api/logs', '[]'] },
  workflow: { version: 1, commands: 'flow list', from: ['GET /flow/api/workflows', '[]'] },
  bar: { version: 1, commands: 'history', from: ['POST /api/v1/history', 'data', '[]'] },
}

/** Returns the schema of each record as the text of a file, by the path of the file. */
export function recordSchemas(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(RECORDS).map(([name, facts]) => {
      const schema = schemaOf(name, facts)
      const head = {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `svc/${name}/${facts.version}`,
        title: name,
        description: `A record of version ${facts.version}, as -o json prints it: svc ${facts.commands}.`,
      }
      const { $schema: _, ...rest } = schema
      return [
        `${SCHEMA_FOLDER}/${name}.v${facts.version}.json`,
        `${JSON.stringify({ ...head, ...rest }, null, 2)}\n`,
      ]
    }),
  )
}

function schemaOf(name: string, { from }: RecordFacts): JsonSchema {
  if (from === undefined) {
    const account = Object.entries(ACCOUNT_RECORDS).find(([one]) => one === name)?.[1]
    if (account === undefined) throw new Error(`${name} has no definition`)
    return answerSchema(account)
  }
  const [operation, ...path] = from
  const answer = ALL_OPERATION_LIST.find((one) => one.name === operation)?.answer
  if (answer === undefined) throw new Error(`${operation} has no answer`)
  return path.reduce((schema, step) => memberOf(schema, step, `${operation} ${step}`), answerSchema(answer))
}

function memberOf(schema: JsonSchema, step: string, where: string): JsonSchema {
  const found: unknown = step === '[]' ? schema.items : schema.properties?.[step]
  if (typeof found !== 'object' || found === null) throw new Error(`${where}: there is no such member`)
  return Object(found)
}
