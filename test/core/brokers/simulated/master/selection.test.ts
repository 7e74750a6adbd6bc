import { beforeAll, expect, it } from 'vitest'
import { MasterSelection } from '../../../../../src/core/brokers/simulated/master/selection.js'
import { simulatedMaster } from '../../../../../src/core/brokers/simulated/master/simulated-master.js'
import type { Instrument } from '../../../../../src/core/instruments/index.js'
import { istInstant } from '../../../../../src/core/time/index.js'

const NOW = istInstant('2026-11-20', '09:20')
let whole: Instrument[]

beforeAll(() => {
  whole = [...simulatedMaster({ now: NOW })].flat()
})

it.each<[string, [exchange: string, symbol: string][]]>([
  ['a share, with its futures and options', [['NSE', 'INFY']]],
  ['an index, but not another one whose name begins alike', [['NSE_INDEX', 'NIFTY']]],
  ['a contract alone', [['NFO', 'NIFTY24NOV2626000CE']]],
  ['a contract of a share alone', [['NFO', 'SBIN24NOV26FUT']]],
  [
    'several of all kinds',
    [
      ['NSE', 'SBIN'],
      ['MCX', 'CRUDEOIL18DEC26FUT'],
      ['CRYPTO', 'BTCUSD'],
      ['CDS', 'USDINR27NOV26FUT'],
    ],
  ],
  ['a symbol that no exchange lists', [['NSE', 'NOBODY']]],
  ['nothing', []],
])('a selection has the rows of the whole master, with their tokens: %s', (_, named) => {
  const refs = named.map(([exchange, symbol]) => ({ exchange, symbol }))
  const keys = new Set(named.map((pair) => pair.join(':')))
  const names = new Set(named.map(([, symbol]) => symbol))
  const expected = whole.filter(
    ({ exchange, expiry, name, symbol }) =>
      keys.has(`${exchange}:${symbol}`) || (expiry !== '' && (names.has(name) || names.has(symbol))),
  )
  const selected = [...simulatedMaster({ now: NOW, selection: new MasterSelection(refs) })].flat()
  expect(selected).toEqual(expected)
})
