import type { CommandSpec } from '../../src/cli/framework/command/command.js'
import { VISIBLE_NOUNS } from '../../src/cli/nouns.js'
import { answerSchema, type JsonSchema } from '../../src/daemon/openapi/json-schema.js'
import { ALL_OPERATION_LIST } from '../../src/daemon/operations/all.js'
import type { Column } from '../../src/views/table/column.js'
import { OWN_RECORDS } from './own-records.js'
import { printedSchema, withMembersOf } from './printed-schema.js'

/** The folder of the generated schemas. */
export const SCHEMA_FOLDER = 'docs/schemas'

/** The operation, and the members that lead to the record in its answer; `[]` is an item of a list. */
type Source = readonly [operation: string, ...path: string[]]

/** A record: the commands that print it, and where operations have it. A change of its meaning or names is a new version. */
interface RecordFacts {
  version: number
  commands: readonly string[]
  /** Its rows in the answer of an operation; without it, the command makes the record itself. */
  from?: Source
  /** The operation that shows one with all its members. */
  shownFrom?: Source
  /** Members of the answer that the commands leave out. */
  without?: readonly string[]
  /** Members that the commands add. */
  adds?: Readonly<Record<string, JsonSchema>>
}

const STRATEGY = '/strategy/api/strategies'

const RECORDS: Readonly<Record<string, RecordFacts>> = {
  order: { version: 1, commands: ['order list', 'order status', 'strategy orderbook'] },
  'placed-order': { version: 1, commands: ['order place'] },
  trade: { version: 1, commands: ['trade list', 'strategy tradebook'] },
  position: { version: 1, commands: ['position list', 'strategy positions'] },
  holding: { version: 1, commands: ['holding list'] },
  fund: { version: 1, commands: ['fund list'] },
  'pnl-minute': { version: 1, commands: ['pnl export'] },
  'pnl-day': {
    version: 1,
    commands: ['pnl show'],
    from: ['POST /pnltracker/api/pnl', 'data'],
    without: ['pnl_series', 'drawdown_series'],
  },
  gtt: { version: 1, commands: ['order gtt list'], from: ['POST /api/v1/gttorderbook', 'data', '[]'] },
  why: { version: 1, commands: ['why'], from: ['POST /api/v1/why', 'data'] },
  'market-day': {
    version: 1,
    commands: ['market open', 'market next', 'market hours'],
    from: ['GET /market/hours', 'data', '[]'],
  },
  quote: { version: 1, commands: ['quote'] },
  tick: { version: 1, commands: ['stream'] },
  bar: { version: 1, commands: ['history'] },
  'refused-order': { version: 1, commands: ['api'], from: ['POST /api/v1/refusedorders', 'data', '[]'] },
  approval: {
    version: 1,
    commands: ['approval list', 'approval show', 'approval watch'],
    from: ['GET /action-center/api/data', 'data', 'orders', '[]'],
    adds: { plan: { type: 'object', description: 'Of approval show: what a waiting order would send.' } },
  },
  'journal-order': { version: 1, commands: ['order journal'], from: ['GET /orders/journal', 'data', '[]'] },
  workflow: {
    version: 1,
    commands: ['flow list', 'flow show'],
    from: ['GET /flow/api/workflows', '[]'],
    shownFrom: ['GET /flow/api/workflows/:id'],
    without: ['webhook_token', 'webhook_secret'],
  },
  execution: {
    version: 1,
    commands: ['flow executions'],
    from: ['GET /flow/api/workflows/:id/executions', '[]'],
  },
  'execution-line': {
    version: 1,
    commands: ['flow logs'],
    from: ['GET /flow/api/workflows/:id/executions', '[]', 'logs', '[]'],
  },
  strategy: {
    version: 1,
    commands: ['strategy list', 'strategy show'],
    from: [`GET ${STRATEGY}`, 'data', '[]'],
    shownFrom: [`GET ${STRATEGY}/:id`, 'data'],
  },
  'strategy-run': {
    version: 1,
    commands: ['strategy runs'],
    from: [`GET ${STRATEGY}/:id/runs`, 'data', '[]'],
  },
  'strategy-order': {
    version: 1,
    commands: ['strategy orders'],
    from: [`GET ${STRATEGY}/:id/orders`, 'data', '[]'],
  },
  'strategy-event': {
    version: 1,
    commands: ['strategy events'],
    from: [`GET ${STRATEGY}/:id/events`, 'data', '[]'],
  },
  'strategy-checkpoint': {
    version: 1,
    commands: ['strategy checkpoints'],
    from: [`GET ${STRATEGY}/:id/checkpoints`, 'data', '[]'],
  },
  'audit-entry': { version: 1, commands: ['audit list', 'audit export'], from: ['GET /audit/entries', '[]'] },
  'request-entry': { version: 1, commands: ['log orders', 'log analyzer'] },
  'log-entry': { version: 1, commands: ['api'], from: ['GET /logs/entries', 'data', '[]'] },
  'traffic-entry': {
    version: 1,
    commands: ['log traffic'],
    from: ['GET /traffic/api/logs', '[]'],
    without: ['timestamp'],
  },
  'latency-entry': { version: 1, commands: ['log latency'], from: ['GET /latency/api/logs', '[]'] },
  message: { version: 1, commands: ['message list'], from: ['GET /messages/queue', 'data', '[]'] },
  session: {
    version: 1,
    commands: ['session list'],
    from: ['GET /auth/active-sessions', 'sessions', '[]'],
    adds: { current: { type: 'boolean', description: 'Whether it is the session of this command.' } },
  },
  'login-attempt': {
    version: 1,
    commands: ['login-activity'],
    from: ['GET /security/api/login-activity', 'attempts', '[]'],
  },
  token: { version: 1, commands: ['token list'], from: ['GET /auth/tokens', 'data', '[]'] },
  ban: { version: 1, commands: ['ban list'] },
  context: { version: 1, commands: ['context list', 'context current'] },
}

/** The names of the records, each with the commands that print it. */
export const RECORD_COMMANDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(RECORDS).map(([name, { commands }]) => [name, commands]),
)

/** Returns the schema of each record as the text of a file, by the path of the file. */
export async function recordSchemas(): Promise<ReadonlyMap<string, string>> {
  const files = Object.entries(RECORDS).map(async ([name, facts]) => {
    const { $schema: _, ...rest } = await schemaOf(name, facts)
    const head = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `svc/${name}/${facts.version}`,
      title: name,
      description: `A record of version ${facts.version}, as -o json prints it: svc ${facts.commands.join(', ')}.`,
    }
    const path = `${SCHEMA_FOLDER}/${name}.v${facts.version}.json`
    return [path, `${JSON.stringify({ ...head, ...rest }, null, 2)}\n`] as const
  })
  return new Map(await Promise.all(files))
}

async function schemaOf(name: string, facts: RecordFacts): Promise<JsonSchema> {
  const { adds = {}, commands, shownFrom, without = [] } = facts
  const rows = facts.from === undefined ? ownSchema(name) : schemaAt(facts.from)
  const schema = shownFrom === undefined ? rows : withMembersOf(rows, schemaAt(shownFrom))
  const views = await Promise.all(commands.map(columnsOf))
  return printedSchema(schema, { views, adds, without })
}

function ownSchema(name: string): JsonSchema {
  const own = Object.entries(OWN_RECORDS).find(([one]) => one === name)?.[1]
  if (own === undefined) throw new Error(`${name} has no definition`)
  return answerSchema(own)
}

function schemaAt([operation, ...path]: Source): JsonSchema {
  const answer = ALL_OPERATION_LIST.find((one) => one.name === operation)?.answer
  if (answer === undefined) throw new Error(`${operation} has no answer`)
  return path.reduce((schema, step) => memberOf(schema, step, `${operation} ${step}`), answerSchema(answer))
}

function memberOf(schema: JsonSchema, step: string, where: string): JsonSchema {
  const found: unknown = step === '[]' ? schema.items : schema.properties?.[step]
  if (typeof found !== 'object' || found === null) throw new Error(`${where}: there is no such member`)
  return Object(found)
}

/** Returns the columns of a command; none where it prints an answer as it is. */
async function columnsOf(path: string): Promise<readonly Column[]> {
  const [name, ...verbs] = path.split(' ')
  let spec: CommandSpec | undefined = await VISIBLE_NOUNS.find((noun) => noun.name === name)?.load()
  for (const verb of verbs) spec = spec?.verbs?.find((one) => one.name === verb)
  if (spec === undefined) throw new Error(`svc ${path}: there is no such command`)
  return spec.columns ?? []
}
