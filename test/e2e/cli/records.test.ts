import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { beforeAll, describe, expect, it } from 'vitest'
import { RECORD_COMMANDS, SCHEMA_FOLDER } from '../../../scripts/docs/record-schemas.js'
import { isObject } from '../../../src/client/answers/json.js'
import { csvRecords } from '../../../src/core/csv/index.js'
import { commandDesk } from '../../support/desk/command-desk.js'

/*
 * One record for a thing: `list`, `show`, `--watch`, `--follow`, CSV and `-o yaml` have the same names, types and values,
 * which are those of its schema in docs/schemas.
 */

const desk = commandDesk()

type Row = Readonly<Record<string, unknown>>

interface Thing {
  /** The commands that list it, or that print one. */
  lists: readonly string[]
  /** The command that shows one row of the list. */
  show?(row: Row): string
  /** The commands that print it as it changes. */
  follows?: readonly string[]
  /** The members that change between two calls. */
  moves?: readonly string[]
}

const THINGS: Readonly<Record<string, Thing>> = {
  order: {
    lists: ['order list', 'order list --since 1d', 'order list --status rejected'],
    show: ({ orderid }) => `order status ${String(orderid)}`,
    follows: ['order list --watch'],
  },
  trade: { lists: ['trade list', 'trade list --since 1d'], follows: ['trade list --watch'] },
  position: { lists: ['position list'], follows: ['position list --watch'] },
  fund: { lists: ['fund list'] },
  'pnl-minute': { lists: ['pnl export'] },
  'pnl-day': { lists: ['pnl show'] },
  gtt: { lists: ['order gtt list'], follows: ['order gtt list --watch'] },
  'market-day': { lists: ['market hours'] },
  quote: { lists: ['quote SBIN INFY'], follows: ['quote SBIN --watch'] },
  tick: {
    lists: [],
    follows: ['stream SBIN --mode ltp', 'stream SBIN --json', 'stream SBIN --mode depth'],
  },
  bar: { lists: ['history SBIN NSE --interval 1h'] },
  approval: {
    lists: ['approval list', 'approval list --status all'],
    show: ({ id }) => `approval show ${String(id)}`,
    follows: ['approval list --watch', 'approval watch'],
    moves: ['last_price', 'value'],
  },
  'journal-order': { lists: ['order journal'] },
  workflow: {
    lists: ['flow list'],
    show: ({ id }) => `flow show ${String(id)}`,
    follows: ['flow list --watch'],
  },
  execution: { lists: ['flow executions 1'] },
  'execution-line': { lists: ['flow logs 1'] },
  strategy: {
    lists: ['strategy list'],
    show: ({ id }) => `strategy show ${String(id)}`,
    follows: ['strategy list --watch'],
  },
  'strategy-event': { lists: ['strategy events 1'] },
  'audit-entry': { lists: ['audit list'], follows: ['audit list --follow'] },
  'request-entry': { lists: ['log analyzer', 'log orders'], follows: ['log analyzer --follow'] },
  'traffic-entry': { lists: ['log traffic'], follows: ['log traffic --follow'] },
  'latency-entry': { lists: ['log latency'], follows: ['log latency --follow'] },
  session: { lists: ['session list'] },
  'login-attempt': { lists: ['login-activity'] },
  token: { lists: ['token list'] },
  ban: { lists: ['ban list'] },
  risk: { lists: ['risk show'] },
  context: { lists: ['context list', 'context current'] },
}

/** The records that this home has none of; other tests print them. */
const NONE_HERE: Readonly<Record<string, string>> = {
  holding: 'a delivery order settles on the next day',
  basket: 'each call places one: test/cli/commands/order/basket.test.ts',
  plan: 'test/cli/commands/flow/plans.test.ts',
  'context-status': 'test/cli/commands/every-context.test.ts',
  'placed-order': 'each call places one: test/cli/commands/order/place.test.ts',
  why: 'test/e2e/cli/why.test.ts',
  'refused-order': 'test/e2e/cli/refused-orders.test.ts',
  'log-entry': 'svc api prints the answer of the API as it is',
  'strategy-run': 'a run needs the hours of the exchange',
  'strategy-order': 'a run needs the hours of the exchange',
  'strategy-checkpoint': 'a run needs the hours of the exchange',
  message: 'needs a channel',
}

const STRADDLE = `name: Morning straddle
underlying: NIFTY
underlying_exchange: NSE_INDEX
entry_time: "09:20"
exit_time: "15:15"
legs:
  - {segment: options, position: S, lots: 1, option_type: CE, expiry: weekly, sl_pts: 30}
`

beforeAll(async () => {
  const { daemon, terminal } = desk
  const far = { price: await daemon.priceAt(0.95), pricetype: 'LIMIT' }
  for (const mode of [true, false, true]) {
    await daemon.analyze(mode)
    await daemon.place({ product: 'MIS', quantity: 7 })
    await daemon.place({ symbol: 'INFY', action: 'SELL', product: 'MIS', quantity: 3, strategy: 'demo' })
    await daemon.place(far)
  }
  // The exchange rejects a price outside its band, and the risk gate an order that is too large.
  await daemon.place({ ...far, price: 1 })
  await daemon.place({ quantity: 9_999_999_999, product: 'MIS' })
  await terminal.svc('order gtt place NSE:SBIN BUY 10 --product CNC --type LIMIT --price 90 --trigger-sl 91')
  await daemon.orderMode('semi_auto')
  await daemon.place({})
  await daemon.place({ ...far, symbol: 'RELIANCE', strategy: 'demo' })
  await daemon.api('placesmartorder', {
    ...{ strategy: 'demo', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'MIS' },
    ...{ pricetype: 'MARKET', position_size: 9 },
  })
  // Their prices are words in a table: Multiple, and both triggers.
  const line = { exchange: 'NSE', action: 'BUY', quantity: 1, product: 'CNC', pricetype: 'LIMIT', price: 90 }
  const orders = ['SBIN', 'INFY'].map((symbol) => ({ ...line, symbol }))
  await daemon.api('basketorder', { strategy: 'demo', orders })
  await daemon.api('placegttorder', {
    ...{ strategy: 'demo', symbol: 'SBIN', exchange: 'NSE', action: 'SELL', quantity: 1, product: 'CNC' },
    ...{
      trigger_type: 'OCO',
      price: 0,
      triggerprice_sl: 91,
      stoploss: 90,
      triggerprice_tg: 999,
      target: 998,
    },
  })
  await terminal.svc('approval reject 2 --reason late')
  await daemon.orderMode('auto')
  const { body } = await daemon.request<{ id: number }>('POST', '/flow/api/workflows', {
    name: 'Hello',
    nodes: [
      { id: 'go', type: 'start', position: { x: 0, y: 0 }, data: {} },
      { id: 'log', type: 'log', position: { x: 0, y: 9 }, data: { message: 'hello' } },
    ],
    edges: [{ id: 'e', source: 'go', target: 'log' }],
  })
  await terminal.svc(`flow run ${body.id}`)
  const file = join(daemon.home, 'straddle.yaml')
  writeFileSync(file, STRADDLE)
  await terminal.svc(`strategy create ${file}`)
  await terminal.svc('token create --name reader --scope read --expires 1d')
  await terminal.svc('ban add 203.0.113.7 --permanent --yes')
  await terminal.svc('ban add 203.0.113.8 --for 7d --reason scan --yes')
})

it('every record has a schema, and is held against it here or has a reason', () => {
  expect([...Object.keys(THINGS), ...Object.keys(NONE_HERE)].sort()).toEqual(
    [...RECORD_COMMANDS.keys()].sort(),
  )
})

/** Returns the rows of a document: a list, or one record. */
const rowsOf = (text: string): readonly Row[] => [JSON.parse(text)].flat().map(Object)

/** Before 09:15 the series of the day begins a minute after the first trade. */
const MAY_BE_EMPTY = new Set(['order journal', 'log orders', 'pnl export'])

/** Leads past the gateway of the desk, which passes no WebSocket: a stream through it would end by itself. */
const direct = () => {
  const { apikey, token, url } = desk.daemon
  return { SVC_URL: url, SVC_API_KEY: apikey, SVC_TOKEN: token }
}

async function listed(line: string): Promise<readonly Row[]> {
  const { exit, stdout, stderr } = await desk.terminal.svc(`${line} -o json`)
  // svc market hours ends with 1 while the exchanges are closed.
  expect(line === 'market hours' ? 0 : exit, `${line}: ${stderr}`).toBe(0)
  return rowsOf(stdout)
}

function schemaOf(record: string): Row {
  return JSON.parse(readFileSync(`${SCHEMA_FOLDER}/${record}.v1.json`, 'utf8'))
}

/** Returns what is wrong with a row: what the schema refuses, and members that it does not have. */
function faultsOf(record: string, rows: readonly Row[]): string[] {
  const { $schema: _, ...schema } = schemaOf(record)
  const validate = new AjvJsonSchemaValidator().getValidator(schema)
  const known = new Set(Object.keys(Object(schema.properties)))
  const faults = rows.flatMap((row) => {
    const { errorMessage, valid } = validate(row)
    const unknown = Object.keys(row).filter((key) => !known.has(key))
    const of = [...(valid ? [] : [String(errorMessage)]), ...unknown.map((key) => `${key} is unknown`)]
    return [...of, ...noiseOf(row), ...timesWithoutZone(row)]
  })
  return [...new Set(faults)]
}

/** The answers that a log keeps are printed as they were. */
const AS_IT_WAS = new Set(['request_data', 'response_data', 'raw_order_data', 'before', 'after', 'nodes'])

const membersOf = (row: object): [string, unknown][] =>
  Object.entries(row).flatMap(([key, value]): [string, unknown][] =>
    AS_IT_WAS.has(key) ? [] : isObject(value) ? membersOf(value) : [[key, value]],
  )

/** No number has more decimals than the finest tick. */
const noiseOf = (row: Row): string[] =>
  membersOf(row).flatMap(([key, value]) =>
    typeof value === 'number' && (String(value).split('.')[1] ?? '').length > 8 ? `${key}: ${value}` : [],
  )

const timesWithoutZone = (row: Row): string[] =>
  membersOf(row).flatMap(([key, value]) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value) && !value.endsWith('+05:30')
      ? `${key}: ${value}`
      : [],
  )

it.each([
  ['tick', 'stream SBIN --mode ltp'],
  ['order', 'order list --watch'],
  ['approval', 'approval watch'],
  ['request-entry', 'log analyzer --follow'],
])('a stream of %s takes every field of it as a column, also where a row lacks it', async (record, line) => {
  const fields = Object.keys(Object(schemaOf(record).properties))
  const running = desk.terminal.follow(`${line} -o csv --columns ${fields.join(',')}`, { env: direct() })
  await expect.poll(() => [...csvRecords(running.stdout())].length).toBeGreaterThan(1)
  running.interrupt()
  expect((await running.ended).exit).toBe(130)
  const [heading, ...rows] = [...csvRecords(running.stdout())].map((row) => row.fields)
  expect(heading).toEqual(fields)
  for (const row of rows) expect(row).toHaveLength(fields.length)
})

it('the prices of a basket and of an OCO are words for people, and nothing for programs', async () => {
  const priced = ({ api_type, price, trigger_price }: Row) => [api_type, price, trigger_price]
  const rows = (await listed('approval list')).map(priced)
  expect(rows).toContainEqual(['basketorder', null, 0])
  expect(rows).toContainEqual(['placegttorder', 0, null])
  const { stdout } = await desk.terminal.svc('approval list -o csv --columns api_type,price,trigger_price')
  expect(stdout).toContain('basketorder,,0\r\n')
  expect(stdout).toContain('placegttorder,0,\r\n')
  const table = await desk.terminal.svc('approval list -o wide')
  expect(table.stdout).toMatch(/Basket \(2 orders\).* Multiple /)
  expect(table.stdout).toContain('91 / 999')
})

it('a query that is no program sends no order', async () => {
  const count = async () => (await listed('order list')).length
  const before = await count()
  const { exit } = await desk.terminal.svc('order place SBIN NSE BUY 1 --jq .[')
  expect([exit, await count()]).toEqual([2, before])
})

describe.each(Object.entries(THINGS))('%s', (record, { follows = [], lists, moves = [], show }) => {
  it.each(lists)('svc %s prints it in every format', async (line) => {
    const rows = await listed(line)
    if (!MAY_BE_EMPTY.has(line)) expect(rows.length).toBeGreaterThan(0)
    expect(faultsOf(record, rows)).toEqual([])
    const names = Object.keys(rows[0] ?? {})
    const { stdout } = await desk.terminal.svc(`${line} -o csv`)
    const [heading] = csvRecords(stdout)
    if (names.length > 0) expect(heading?.fields.slice(0, names.length)).toEqual(names)
  })

  it.runIf(show)('show prints the same values', async () => {
    const faults: string[] = []
    for (const row of (await listed(lists[0] ?? '')).filter(({ orderid }) => orderid !== '')) {
      const shown = await listed(show?.(row) ?? '')
      faults.push(...faultsOf(record, shown))
      const common = Object.keys(row).filter((key) => !moves.includes(key))
      const [one] = shown
      expect(Object.fromEntries(common.map((key) => [key, one?.[key]]))).toEqual(
        Object.fromEntries(common.map((key) => [key, row[key]])),
      )
    }
    expect(faults).toEqual([])
  })

  it.each(follows)('svc %s prints it as it changes', async (line) => {
    const running = desk.terminal.follow(line, { env: direct() })
    await expect.poll(() => running.stdout().includes('\n')).toBe(true)
    running.interrupt()
    await running.ended
    const rows = running.stdout().trim().split('\n').flatMap(rowsOf)
    expect(faultsOf(record, rows)).toEqual([])
    const [list] = lists
    if (list === undefined) return
    const ofList = await listed(list)
    // Some rows have more: a smart order has the position that it changes.
    const always = Object.keys(ofList[0] ?? {}).filter((key) => ofList.every((row) => key in row))
    for (const row of rows) expect(Object.keys(row)).toEqual(expect.arrayContaining(always))
  })
})
