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
  /** What it is, in a sentence. */
  about: string
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
  order: {
    about:
      'An order of the account, with how much of it is filled, or what was refused before it became one.',
    version: 1,
    commands: ['order list', 'order status', 'strategy orderbook'],
  },
  'placed-order': {
    about: 'The answer to an order: its id, or the approval that it waits for.',
    version: 1,
    commands: ['order place'],
  },
  trade: {
    about: 'A fill of an order.',
    version: 1,
    commands: ['trade list', 'strategy tradebook'],
  },
  position: {
    about: 'A position of the session, open or closed.',
    version: 1,
    commands: ['position list', 'strategy positions'],
  },
  holding: {
    about: 'Shares that the account holds for delivery.',
    version: 1,
    commands: ['holding list'],
  },
  fund: {
    about: 'The money of the account.',
    version: 1,
    commands: ['fund list'],
  },
  'pnl-minute': {
    about: 'The profit of the day and its drawdown at one minute.',
    version: 1,
    commands: ['pnl export'],
  },
  'pnl-day': {
    about: 'The profit of the day, its highest and lowest, and its drawdown.',
    version: 1,
    commands: ['pnl show'],
    from: ['POST /pnltracker/api/pnl', 'data'],
    without: ['pnl_series', 'drawdown_series'],
  },
  gtt: {
    about: 'An order that waits for a trigger price.',
    version: 1,
    commands: ['order gtt list'],
    from: ['POST /api/v1/gttorderbook', 'data', '[]'],
  },
  why: {
    about: 'What became of anything that has an id, from the request to the fill.',
    version: 1,
    commands: ['why'],
    from: ['POST /api/v1/why', 'data'],
  },
  'market-day': {
    about: 'The hours of an exchange on a day.',
    version: 1,
    commands: ['market open', 'market next', 'market hours'],
    from: ['GET /market/hours', 'data', '[]'],
  },
  quote: {
    about: 'The last price of a symbol, with the day and the best bid and ask.',
    version: 1,
    commands: ['quote'],
  },
  tick: {
    about: 'A price as it arrives; the mode of the stream decides its members.',
    version: 1,
    commands: ['stream'],
  },
  bar: {
    about: 'Open, high, low, close and volume of an interval.',
    version: 1,
    commands: ['history'],
  },
  'refused-order': {
    about: 'An order that was asked for and refused before it was sent.',
    version: 1,
    commands: ['api'],
    from: ['POST /api/v1/refusedorders', 'data', '[]'],
  },
  approval: {
    about: 'An order that waits for a person, or waited.',
    version: 1,
    commands: ['approval list', 'approval show', 'approval watch'],
    from: ['GET /action-center/api/data', 'data', 'orders', '[]'],
    adds: { plan: { type: 'object', description: 'Of approval show: what a waiting order would send.' } },
  },
  'journal-order': {
    about: 'A live order that this service sent, and its outcome.',
    version: 1,
    commands: ['order journal'],
    from: ['GET /orders/journal', 'data', '[]'],
  },
  workflow: {
    about: 'A workflow: its trigger, state and version.',
    version: 1,
    commands: ['flow list', 'flow show'],
    from: ['GET /flow/api/workflows', '[]'],
    shownFrom: ['GET /flow/api/workflows/:id'],
    without: ['webhook_token', 'webhook_secret'],
  },
  execution: {
    about: 'A run of a workflow.',
    version: 1,
    commands: ['flow executions'],
    from: ['GET /flow/api/workflows/:id/executions', '[]'],
  },
  'execution-line': {
    about: 'A line of the log of a run.',
    version: 1,
    commands: ['flow logs'],
    from: ['GET /flow/api/workflows/:id/executions', '[]', 'logs', '[]'],
  },
  strategy: {
    about: 'A strategy: its legs, times, limits and state.',
    version: 1,
    commands: ['strategy list', 'strategy show'],
    from: [`GET ${STRATEGY}`, 'data', '[]'],
    shownFrom: [`GET ${STRATEGY}/:id`, 'data'],
  },
  'strategy-run': {
    about: 'A run of a strategy, from its start to its stop.',
    version: 1,
    commands: ['strategy runs'],
    from: [`GET ${STRATEGY}/:id/runs`, 'data', '[]'],
  },
  'strategy-order': {
    about: 'An order of a run of a strategy.',
    version: 1,
    commands: ['strategy orders'],
    from: [`GET ${STRATEGY}/:id/orders`, 'data', '[]'],
  },
  'strategy-event': {
    about: 'What happened to a strategy or one of its runs.',
    version: 1,
    commands: ['strategy events'],
    from: [`GET ${STRATEGY}/:id/events`, 'data', '[]'],
  },
  'strategy-checkpoint': {
    about: 'The profit of a run at one moment.',
    version: 1,
    commands: ['strategy checkpoints'],
    from: [`GET ${STRATEGY}/:id/checkpoints`, 'data', '[]'],
  },
  'audit-entry': {
    about: 'An act that changed something: who did it, from where, and how it ended.',
    version: 1,
    commands: ['audit list', 'audit export'],
    from: ['GET /audit/entries', '[]'],
  },
  'request-entry': {
    about: 'A request to the API and its answer, with the facts that a table shows.',
    version: 1,
    commands: ['log orders', 'log analyzer'],
  },
  'log-entry': {
    about: 'A request to the API and its answer, as GET /logs/entries has it.',
    version: 1,
    commands: ['api'],
    from: ['GET /logs/entries', 'data', '[]'],
  },
  'traffic-entry': {
    about: 'An HTTP request to the daemon.',
    version: 1,
    commands: ['log traffic'],
    from: ['GET /traffic/api/logs', '[]'],
    without: ['timestamp'],
  },
  'latency-entry': {
    about: 'How long an order or a read took, and the part of the broker.',
    version: 1,
    commands: ['log latency'],
    from: ['GET /latency/api/logs', '[]'],
  },
  message: {
    about: 'A message of a channel, sent or waiting.',
    version: 1,
    commands: ['message list'],
    from: ['GET /messages/queue', 'data', '[]'],
  },
  session: {
    about: 'A sign-in that has not ended.',
    version: 1,
    commands: ['session list'],
    from: ['GET /auth/active-sessions', 'sessions', '[]'],
    adds: { current: { type: 'boolean', description: 'Whether it is the session of this command.' } },
  },
  'login-attempt': {
    about: 'An attempt to sign in.',
    version: 1,
    commands: ['login-activity'],
    from: ['GET /security/api/login-activity', 'attempts', '[]'],
  },
  token: {
    about: 'A personal access token, without its secret.',
    version: 1,
    commands: ['token list'],
    from: ['GET /auth/tokens', 'data', '[]'],
  },
  ban: {
    about: 'An address that is banned.',
    version: 1,
    commands: ['ban list'],
  },
  basket: {
    about: 'The answer to a basket: what became of each order.',
    version: 1,
    commands: ['order basket'],
  },
  plan: {
    about: 'A workflow or a strategy, and what applying its file would change.',
    version: 1,
    commands: ['flow plan', 'strategy plan'],
    from: ['POST /flow/api/plan', 'data', '[]'],
    shownFrom: ['POST /strategy/api/plan', 'data', '[]'],
    adds: {
      kind: { type: 'string', enum: ['workflow', 'strategy'] },
      will_activate: {
        type: 'boolean',
        description: 'Of a workflow, with --activate: whether it is activated.',
      },
    },
  },
  risk: {
    about: 'The limits of the risk gate, their defaults, and the kill switch.',
    version: 1,
    commands: ['risk show'],
    from: ['GET /risk', 'data'],
  },
  'context-status': {
    about: 'The state of a daemon among all contexts; what is not known is null.',
    version: 1,
    commands: ['context status'],
  },
  context: {
    about: 'A daemon by its name.',
    version: 1,
    commands: ['context list', 'context current'],
  },
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
      description: `${facts.about} Version ${facts.version}, as -o json prints it: svc ${facts.commands.join(', ')}.`,
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
