import { z } from 'zod'
import { type FilePosition, parseSource } from '../../documents/index.js'
import { ACTIONS, PRICE_TYPES, PRODUCTS } from '../../orders/schema.js'
import { istInstant } from '../../time/index.js'
import type { ReadResult } from './check/finding.js'
import { FILE_KEYS } from './read/file-keys.js'
import { checked } from './read/read.js'

/** `2026-11-20T09:31:00`, with or without the IST offset. */
const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\+05:30)?$/
const SPAN = /^(\d+)(ms|s|m|h|d)$/
const SPAN_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const SYMBOL = /^[A-Z_]+:\S+$/

const span = z.string().regex(SPAN, 'A span of time such as 30s, 15m or 2h.')
const price = z.number().positive()
const symbol = z.string().regex(SYMBOL, 'EXCHANGE:SYMBOL.')
const step = z
  .object({ after: span.optional() })
  .catchall(price)
  .refine(({ after: _, ...prices }) => Object.keys(prices).every((key) => SYMBOL.test(key)), {
    error: 'Prices by EXCHANGE:SYMBOL, and after.',
  })
const market = z
  .union([z.record(symbol, price), z.array(step)], {
    error: 'Prices by EXCHANGE:SYMBOL, or a list of steps {after: 5m, EXCHANGE:SYMBOL: price}.',
  })
  .optional()
  .meta({
    description: 'Prices at the start, or a list of steps. `after` counts from the start of the case.',
  })

const product = z.enum(PRODUCTS)
const texts = z.array(z.string()).optional()
const values = z.record(z.string(), z.unknown()).optional()

const position = z.strictObject({
  symbol: z.string(),
  exchange: z.string(),
  product,
  quantity: z.int().meta({ description: 'Negative for a short position.' }),
  average_price: price,
})

const account = z.strictObject({
  cash: z.number().nonnegative().optional().meta({ description: 'Cash at the start, in rupees.' }),
  positions: z.array(position).optional(),
})

const trigger = z.strictObject({
  kind: z.enum(['manual', 'webhook', 'schedule', 'price_alert', 'order_update']).optional(),
  payload: values.meta({ description: 'The data of the trigger, as {{webhook.name}}.' }),
})

const expectedOrder = z.strictObject({
  symbol: z.string(),
  exchange: z.string(),
  action: z.enum(ACTIONS),
  quantity: z.int().positive(),
  pricetype: z.enum(PRICE_TYPES).optional(),
  product: product.optional(),
  price: z.number().nonnegative().optional(),
})

const expectation = z.strictObject({
  status: z.enum(['completed', 'failed', 'cancelled']).optional(),
  orders: z
    .array(expectedOrder)
    .optional()
    .meta({ description: 'Exactly these orders in this sequence. An empty list means no order.' }),
  logs: texts.meta({ description: 'Each text is part of a log line.' }),
  variables: values.meta({ description: 'Values at the end of the case, by path.' }),
  alerts: texts.meta({ description: 'Each text is part of a sent message. An empty list means no message.' }),
  http: z
    .array(z.strictObject({ method: z.string(), url: z.string() }))
    .optional()
    .meta({ description: 'Exactly these requests in this sequence.' }),
  visited: texts.meta({ description: 'Nodes that ran.' }),
  not_visited: texts.meta({ description: 'Nodes that did not run.' }),
})

const answer = z.strictObject({
  url: z.string(),
  status: z.int().min(100).max(599).optional(),
  body: z.unknown(),
})

const scenario = z.strictObject({
  name: z.string().min(1),
  at: z
    .string()
    .regex(INSTANT, 'A time in IST such as 2026-11-20T09:31:00.')
    .refine((text) => Number.isFinite(instantOf(text)), 'There is no such time.')
    .meta({ description: 'Start of the case, in IST.' }),
  mode: z.enum(['analyze', 'live']).default('analyze'),
  market,
  account: account.optional(),
  trigger: trigger.optional(),
  variables: values.meta({ description: 'Variables at the start.' }),
  http: z.array(answer).optional().meta({ description: 'Responses to requests, by URL.' }),
  advance: span.optional().meta({ description: 'Virtual time that passes after the first run.' }),
  expect: expectation,
})

const scenarios = z.array(scenario).min(1)

export type Scenario = z.output<typeof scenario>
export type Expectation = z.output<typeof expectation>
export type ExpectedOrder = z.output<typeof expectedOrder>

/** A case with its position in the file. */
export interface LocatedScenario extends Scenario {
  place: FilePosition
}

export interface ScenarioFile {
  file: string
  cases: readonly LocatedScenario[]
}

/** Returns whether a file name is one of a scenario file: `orb.test.yaml`, `orb.flow-test.yaml`. */
export function isScenarioName(file: string): boolean {
  return /[.-]test\.(ya?ml|json)$/i.test(file)
}

/** Reads the cases of a scenario file. */
export function readScenarios(text: string, file: string): ReadResult<ScenarioFile> {
  const source = parseSource(text, file, FILE_KEYS)
  if (!source.ok) return source
  const read = checked(source.value, scenarios)
  if (!read.ok) return read
  const names = new Set<string>()
  const doubled = read.value.flatMap(({ name }, index) => {
    if (!names.has(name)) {
      names.add(name)
      return []
    }
    return [source.value.finding([index, 'name'], 'duplicate_id', `There is another case "${name}".`)]
  })
  if (doubled.length > 0) return { ok: false, findings: doubled }
  const cases = read.value.map((one, index) => ({ ...one, place: source.value.place([index, 'name']) }))
  return { ok: true, value: { file, cases } }
}

/** Returns the JSON Schema of scenario files. */
export function scenarioSchema(): Record<string, unknown> {
  return z.toJSONSchema(scenarios, { io: 'input' })
}

/** Returns a time of a scenario in epoch milliseconds. */
export function instantOf(at: string): number {
  const [, date = '', time = ''] = INSTANT.exec(at) ?? []
  return istInstant(date, time)
}

/** Returns a time span of a scenario in milliseconds. */
export function spanMs(text: string): number {
  const [, count = '', unit = ''] = SPAN.exec(text) ?? []
  return Number(count) * (SPAN_MS[unit] ?? Number.NaN)
}

/** Prices from a moment on, counted from the start of the case. */
export interface MarketStep {
  afterMs: number
  /** By `EXCHANGE:SYMBOL`. */
  prices: Readonly<Record<string, number>>
}

/** Returns the market of a case as steps, sorted by time. */
export function marketSteps({ market }: Pick<Scenario, 'market'>): MarketStep[] {
  const steps: Readonly<Record<string, unknown>>[] = Array.isArray(market) ? market : [market ?? {}]
  return steps
    .map(({ after, ...prices }) => ({
      afterMs: typeof after === 'string' ? spanMs(after) : 0,
      prices: Object.fromEntries(
        Object.entries(prices).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
      ),
    }))
    .sort((a, b) => a.afterMs - b.afterMs)
}
