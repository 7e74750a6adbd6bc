import { describe, expect, test } from 'vitest'
import type { BrokerError } from '../../../../../src/core/brokers/broker.js'
import { dhan } from '../../../../../src/core/brokers/dhan/index.js'
import { cellsBy } from '../../../../../src/core/brokers/dhan/master/columns.js'
import { instrumentOf } from '../../../../../src/core/brokers/dhan/master/rows.js'
import { csvRecords } from '../../../../../src/core/csv/index.js'
import type { Instrument } from '../../../../../src/core/instruments/schema.js'
import { CATALOGUE, compactMasterText, masterText } from '../../../../fixtures/fake-dhan/catalogue.js'
import { startRig } from '../rig.js'

/** Symbol, exchange, segment, id, lot, tick and expiry of every kind of instrument. */
const EXPECTED: readonly [string, string, string, string, number, number, string][] = [
  ['INFY', 'NSE', 'NSE_EQ', '1594', 1, 0.05, ''],
  ['SBIN', 'NSE', 'NSE_EQ', '3045', 1, 0.05, ''],
  ['RELIANCE', 'NSE', 'NSE_EQ', '2885', 1, 0.1, ''],
  ['SBIN', 'BSE', 'BSE_EQ', '500112', 1, 0.05, ''],
  ['NIFTY', 'NSE_INDEX', 'IDX_I', '13', 1, 0.05, ''],
  ['BANKNIFTY', 'NSE_INDEX', 'IDX_I', '25', 1, 0.05, ''],
  ['NIFTY29JAN30FUT', 'NFO', 'NSE_FNO', '53001', 75, 0.1, '29-JAN-30'],
  ['NIFTY29JAN3024000CE', 'NFO', 'NSE_FNO', '53002', 75, 0.05, '29-JAN-30'],
  ['INFY29JAN301500PE', 'NFO', 'NSE_FNO', '1594', 400, 0.05, '29-JAN-30'],
  ['USDINR29JAN30FUT', 'CDS', 'NSE_CURRENCY', '1401', 1000, 0.0025, '29-JAN-30'],
  ['GOLDM31JAN30FUT', 'MCX', 'MCX_COMM', '430106', 10, 1, '31-JAN-30'],
]

function rowsOf(text: string): (Instrument | string | undefined)[] {
  const [header, ...records] = [...csvRecords(text)]
  const cells = cellsBy(header?.fields ?? [])
  return records.map(({ fields }) => instrumentOf(cells(fields)))
}

describe.each([
  ['detailed', masterText()],
  ['compact', compactMasterText()],
])('the %s master', (_name, text) => {
  test('has every kind of instrument in our spelling, with lots in units and ticks in rupees', () => {
    const rows = rowsOf(text).flatMap((row) => {
      if (row === undefined) return []
      if (typeof row !== 'object') throw new Error(String(row))
      const { brokerExchange, exchange, expiry, lotSize, symbol, tickSize, token } = row
      return [[symbol, exchange, brokerExchange, token, lotSize, tickSize, expiry]]
    })
    expect(rows).toEqual(EXPECTED)
  })
})

const HEADER =
  'EXCH_ID,SEGMENT,SECURITY_ID,INSTRUMENT,UNDERLYING_SYMBOL,SYMBOL_NAME,DISPLAY_NAME,SERIES,LOT_SIZE,SM_EXPIRY_DATE,STRIKE_PRICE,OPTION_TYPE,TICK_SIZE'
const one = (line: string) => rowsOf(`${HEADER}\n${line}\n`)[0]

describe('a row', () => {
  test.each([
    ['a share of another series', 'NSE,E,7,EQUITY,XYZ,XYZ LTD,Xyz,BE,1,,,,5', 'XYZ-BE'],
    ['a share of the BSE', 'BSE,E,7,EQUITY,XYZ,XYZ LTD,Xyz,A,1,,,,5', 'XYZ'],
    ['an index with a name of its own', 'NSE,I,38,INDEX,,NIFTY NEXT 50,x,NA,1,,,,0', 'NIFTYNXT50'],
    [
      'an option with a strike of paise',
      'NSE,D,9,OPTSTK,ITC,ITC-x,x,NA,1600,2030-01-29,292.50000,PE,5',
      'ITC29JAN30292.5PE',
    ],
  ])('of %s', (_name, line, symbol) => {
    expect(one(line)).toMatchObject({ symbol })
  })

  test.each([
    ['an option without a strike', 'NSE,D,9,OPTSTK,ITC,ITC-x,x,NA,1600,2030-01-29,-0.01,PE,5', /strike/],
    ['an option of no type', 'NSE,D,9,OPTSTK,ITC,ITC-x,x,NA,1600,2030-01-29,290,XX,5', /option type/],
    ['a future without a date', 'NSE,D,9,FUTSTK,ITC,ITC-x,x,NA,1600,soon,,,5', /is not a date/],
  ])('of %s cannot be used', (_name, line, reason) => {
    expect(one(line)).toMatch(reason)
  })

  test.each([
    'NSE,E,9,MUTUALFUND,X,X,X,NA,1,,,,5',
    'XYZ,E,9,EQUITY,X,X,X,EQ,1,,,,5',
    'MCX,I,9,INDEX,X,X,X,NA,1,,,,5',
    'NSE,M,53001,FUTCOM,GOLD,GOLD-x,x,NA,1,2030-01-29,,,100',
    'NSE,M,53002,OPTFUT,GOLD,GOLD-x,x,NA,1,2030-01-29,72000,CE,100',
    'NSE,D,9,EQUITY,X,X,X,EQ,1,,,,5',
  ])('of another kind is left out: %s', (line) => {
    expect(one(line)).toBeUndefined()
  })
})

test('a commodity of the NSE takes no id from a contract on NIFTY', async () => {
  const { context, close } = await startRig()
  const { instruments } = context
  expect(instruments.byToken('NSE_FNO', '53001')?.symbol).toBe('NIFTY29JAN30FUT')
  expect(instruments.byToken('NSE_FNO', '53002')?.symbol).toBe('NIFTY29JAN3024000CE')
  expect(instruments.find('GOLD31JAN30FUT', 'NFO')).toBeUndefined()
  await close()
})

test('every symbol of the downloaded master finds its instrument, by symbol and by id', async () => {
  const { context, close } = await startRig()
  const { instruments } = context
  for (const { id, segment } of CATALOGUE) {
    const byToken = instruments.byToken(segment, String(id))
    expect(byToken && instruments.find(byToken.symbol, byToken.exchange)).toEqual(byToken)
  }
  // The same id in two segments is two instruments.
  expect(instruments.byToken('NSE_EQ', '1594')?.symbol).toBe('INFY')
  expect(instruments.byToken('NSE_FNO', '1594')?.symbol).toBe('INFY29JAN301500PE')
  await close()
})

test.each([
  ['no master', 'drop_before', 'network'],
  ["a gateway's page", '5xx_before', 'unavailable'],
  ['a page with status 200', 'garbage', 'protocol'],
])('an answer that is %s is an error', async (_name, action, kind) => {
  const { context, close, fake } = await startRig()
  fake.script.set({ route: 'master', actions: [action, action] })
  const read = async () => {
    for await (const batch of dhan.instruments.download(undefined, context)) expect(batch).toEqual([])
  }
  const thrown = await read().catch((error: BrokerError) => error)
  expect(thrown).toMatchObject({ kind })
  await close()
})
