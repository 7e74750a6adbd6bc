import { basename } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { documents } from '../../scripts/docs/documents.js'
import { simulatedMaster } from '../../src/core/brokers/simulated/index.js'
import { Almanac, SEED_HOLIDAYS, SEED_TIMINGS } from '../../src/core/calendar/index.js'
import { EXCHANGES, InMemoryDirectory, isExchange, storedExpiry } from '../../src/core/instruments/index.js'
import { istInstant } from '../../src/core/time/index.js'
import { ALL_OPERATION_LIST } from '../../src/daemon/operations/all.js'

/*
 * The pages, the help (shown in docs/cli.md) and the API document name symbols as examples. Each must be
 * listed in the embedded market on the day the text assumes, under its calendar, so that a copied example
 * works on that day.
 */

const DAY = '2026-11-20'
const MONTH = '(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)'
const CONTRACT = new RegExp(`\\b[A-Z][A-Z&-]*\\d{2}${MONTH}\\d{2}(?:[\\d.]+(?:CE|PE)|FUT)\\b`, 'g')
const EXPIRY = new RegExp(`\\b\\d{2}-?${MONTH}-?\\d{2}\\b`, 'g')
const PREFIXED = new RegExp(`\\b(${EXCHANGES.join('|')}):([A-Z][A-Z0-9&_-]+)\\b`, 'g')
const UNDERLYING = /"underlying":"(\w+)"[^{}]*?"expiry_date":"(\w+)"/g
const OBJECT = /\{[^{}]*"symbol":[^{}]*\}/g
/**
 * Symbols that are not examples to copy: patterns of an expiry or a symbol, and symbols that must not exist.
 */
const FORMS: ReadonlySet<string> = new Set(['28OCT25', '28-OCT-25', 'NIFTY29JAN3024000CE', 'NSE:NOPE'])

let listed: InMemoryDirectory
let symbols: Set<string>
let expiries: Set<string>

beforeAll(() => {
  const almanac = new Almanac(
    SEED_HOLIDAYS.map((holiday, id) => ({ ...holiday, id })),
    SEED_TIMINGS,
  )
  const isHoliday = (exchange: string, date: string) => !almanac.isTradingDay(exchange, date)
  const rows = [...simulatedMaster({ now: istInstant(DAY, '11:00'), isHoliday })].flat()
  listed = InMemoryDirectory.of(rows)
  symbols = new Set(rows.map(({ symbol }) => symbol))
  expiries = new Set(rows.map(({ expiry }) => expiry))
})

const field = (text: string, name: string) => new RegExp(`"${name}":"([^"<]*)"`).exec(text)?.[1]

/** Returns the symbols of a text that are not listed. */
function unlisted(text: string): string[] {
  const contracts = (text.match(CONTRACT) ?? []).filter((symbol) => !symbols.has(symbol))
  const dates = (text.match(EXPIRY) ?? []).filter((date) => !expiries.has(storedExpiry(date) ?? date))
  const pairs = [
    ...[...text.matchAll(PREFIXED)].map(([, exchange = '', symbol = '']) => [exchange, symbol] as const),
    ...(text.match(OBJECT) ?? []).map(
      (one) => [field(one, 'exchange') ?? '', field(one, 'symbol') ?? ''] as const,
    ),
  ]
  const isListed = (exchange: string, symbol: string) =>
    listed.find(symbol, exchange) !== undefined || listed.underlyings(exchange).includes(symbol)
  const absent = pairs.filter(
    ([exchange, symbol]) => isExchange(exchange) && symbol !== '' && !isListed(exchange, symbol),
  )
  const series = [...text.matchAll(UNDERLYING)]
    .filter(([, name = '', date = '']) => !listed.expiries('NFO', name).includes(storedExpiry(date) ?? date))
    .map(([, ...pair]) => pair)
  const names = [...contracts, ...dates, ...[...absent, ...series].map((pair) => pair.join(':'))]
  return [...new Set(names)].filter((name) => !FORMS.has(name))
}

describe(`on ${DAY} the embedded market lists every named symbol`, () => {
  it.each(documents().map(({ path, text }) => [basename(path), text]))('in %s', (_name, text) => {
    expect(unlisted(text)).toEqual([])
  })

  it.each(
    ALL_OPERATION_LIST.filter(({ example }) => example !== undefined).map(({ method, path, example }) => [
      `${method} ${path}`,
      JSON.stringify(example),
    ]),
  )('in the example of %s', (_name, example) => {
    expect(unlisted(example)).toEqual([])
  })
})

it('the pages do name contracts, shares and expiries', () => {
  const text = documents()
    .map((page) => page.text)
    .join('\n')
  for (const pattern of [CONTRACT, EXPIRY, PREFIXED, OBJECT]) {
    expect(text.match(pattern)?.length ?? 0, String(pattern)).toBeGreaterThan(5)
  }
})

it.each([
  'NIFTY24NOV2626000CE',
  '28-NOV-26',
  'NFO:GOLD',
  '{"symbol":"INFOSYS","exchange":"NSE"}',
  '{"underlying":"NIFTY","exchange":"NSE_INDEX","expiry_date":"24NOV26"}',
])('would not pass over %s', (text) => {
  expect(unlisted(text)).not.toEqual([])
})
