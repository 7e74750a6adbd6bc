import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { angel } from '../../../../src/core/brokers/angel/index.js'
import { readScrip } from '../../../../src/core/brokers/angel/instruments.js'
import { instrumentOfRow } from '../../../../src/core/brokers/angel/units.js'
import { splitSymbol } from '../../../../src/core/instruments/index.js'
import { orderOf, startRig } from './rig.js'

/** A row of the file, as Angel writes it: texts only. */
const ROW = {
  token: '3045',
  symbol: 'SBIN-EQ',
  name: 'SBIN',
  expiry: '',
  strike: '-1.000000',
  lotsize: '1',
  instrumenttype: '',
  exch_seg: 'NSE',
  tick_size: '5.000000',
}
const read = (changes: Partial<typeof ROW>) => readScrip({ ...ROW, ...changes })

describe('a row of the master', () => {
  it('of a share loses its main series, and keeps it in the spelling of the broker', () => {
    expect(read({})).toEqual({
      symbol: 'SBIN',
      brokerSymbol: 'SBIN-EQ',
      name: 'SBIN',
      exchange: 'NSE',
      brokerExchange: 'NSE',
      token: '3045',
      expiry: '',
      strike: 0,
      lotSize: 1,
      instrumentType: 'EQ',
      tickSize: 0.05,
    })
    expect(read({ symbol: 'BAJAJ-AUTO-EQ' })).toMatchObject({ symbol: 'BAJAJ-AUTO' })
  })

  it.each([
    ['NSE', 'NIFTY', 'Nifty 50', 'NSE_INDEX', 'NIFTY'],
    ['NSE', 'BANKNIFTY', 'Nifty Bank', 'NSE_INDEX', 'BANKNIFTY'],
    ['NSE', 'INDIA VIX', 'India VIX', 'NSE_INDEX', 'INDIAVIX'],
    ['NSE', '', 'Nifty Fin Service', 'NSE_INDEX', 'FINNIFTY'],
    ['BSE', 'SENSEX', 'SENSEX', 'BSE_INDEX', 'SENSEX'],
  ])('of an index on %s named %s has our code', (exch_seg, name, symbol, exchange, code) => {
    expect(read({ exch_seg, name, symbol, instrumenttype: 'AMXIDX', tick_size: '0' })).toMatchObject({
      symbol: code,
      brokerSymbol: symbol,
      exchange,
      brokerExchange: exch_seg,
      instrumentType: 'INDEX',
      tickSize: 0.05,
    })
  })

  it.each([
    ['NFO', 'FUTIDX', 'NIFTY', 'NIFTY29JAN30FUT', '29JAN2030', '-1', 'NIFTY29JAN30FUT', 0],
    ['NFO', 'OPTIDX', 'NIFTY', 'NIFTY29JAN3024000CE', '29JAN2030', '2400000', 'NIFTY29JAN3024000CE', 24_000],
    ['NFO', 'OPTSTK', 'M&M', 'M&M29JAN30292.5PE', '29JAN2030', '29250.000000', 'M&M29JAN30292.5PE', 292.5],
    ['BFO', 'OPTIDX', 'SENSEX', 'SENSEX30JAN80000CE', '31JAN2030', '8000000', 'SENSEX31JAN3080000CE', 80_000],
    ['MCX', 'FUTCOM', 'GOLDM', 'GOLDM31JAN30FUT', '31JAN2030', '-1', 'GOLDM31JAN30FUT', 0],
    ['CDS', 'OPTCUR', 'USDINR', 'USDINR30JAN84.5CE', '29JAN2030', '845000000', 'USDINR29JAN3084.5CE', 84.5],
  ])(
    'of %s %s on %s has our symbol',
    (exch_seg, instrumenttype, name, symbol, expiry, strike, ours, price) => {
      const row = read({ exch_seg, instrumenttype, name, symbol, expiry, strike, lotsize: '75' })
      expect(row).toMatchObject({ symbol: ours, name, strike: price, brokerSymbol: symbol })
      expect(splitSymbol(ours)?.base).toBe(name)
    },
  )

  it('of a commodity or currency has the size of its contract from the table, whatever the file says', () => {
    const contract = { instrumenttype: 'FUTCOM', expiry: '31JAN2030', lotsize: '1' }
    expect(read({ ...contract, exch_seg: 'MCX', name: 'GOLDM' })).toMatchObject({ lotSize: 10 })
    expect(read({ ...contract, exch_seg: 'CDS', name: 'USDINR' })).toMatchObject({ lotSize: 1000 })
    expect(read({ ...contract, exch_seg: 'MCX', name: 'NEWMETAL' })).toMatchObject({ lotSize: 1 })
  })

  it('of an exchange that is not imported is left out without a fault', () => {
    expect(read({ exch_seg: 'NCDEX', instrumenttype: 'FUTCOM' })).toBeUndefined()
  })

  it.each([
    ['an unknown exchange', { exch_seg: 'XSE' }],
    ['no readable expiry', { instrumenttype: 'FUTSTK', expiry: '2030' }],
    ['an unknown type', { instrumenttype: 'AUCSO', expiry: '29JAN2030' }],
    [
      'an option without a strike',
      { instrumenttype: 'OPTSTK', symbol: 'SBIN29JAN300CE', expiry: '29JAN2030', strike: '0' },
    ],
  ])('with %s cannot be used, and says why', (_name, changes) => {
    expect(read(changes)).toEqual(expect.any(String))
  })

  it('that is no row cannot be used', () => {
    expect(readScrip({ token: 5 })).toEqual(expect.any(String))
  })
})

describe('the instruments of the master', () => {
  let rig: Awaited<ReturnType<typeof startRig>>
  beforeEach(async () => {
    rig = await startRig()
  })
  afterEach(() => rig.close())

  it('are found again by the rows of the broker, of every kind', async () => {
    let count = 0
    for await (const batch of angel.instruments.download(undefined, rig.context)) {
      for (const instrument of batch) {
        count += 1
        const { brokerExchange: exchange, brokerSymbol: tradingsymbol, token: symboltoken } = instrument
        const byToken = instrumentOfRow(rig.context, { exchange, symboltoken, tradingsymbol: 'OTHER' })
        const bySymbol = instrumentOfRow(rig.context, { exchange, symboltoken: '', tradingsymbol })
        expect([byToken, bySymbol]).toEqual([instrument, instrument])
      }
    }
    expect(count).toBe(rig.context.instruments.count)
  })

  it('go to the broker in its spelling, and come back in ours', async () => {
    const symbols = [
      { symbol: 'M&M', exchange: 'NSE', quantity: 1, product: 'MIS' },
      { symbol: 'YESBANK-BE', exchange: 'NSE', quantity: 1, product: 'CNC' },
      { symbol: 'SBIN', exchange: 'BSE', quantity: 1, product: 'MIS' },
      { symbol: 'NIFTY29JAN30FUT', exchange: 'NFO', quantity: 75, product: 'NRML' },
      { symbol: 'NIFTY29JAN3024000PE', exchange: 'NFO', quantity: 75, product: 'MIS' },
      { symbol: 'SENSEX31JAN3080000CE', exchange: 'BFO', quantity: 20, product: 'NRML' },
    ] as const
    for (const [place, order] of symbols.entries())
      await rig.client.orders.place(orderOf(order), `TAG${place}`)
    const { orders, portfolio } = rig.client
    for (const rows of [await orders.list(), await orders.trades(), await portfolio.positions()])
      expect(rows).toMatchObject(symbols)
  })

  it.each(['BE', 'BZ', 'SM', 'ST', 'MF', 'SG', 'GB', 'N1'])(
    'of the series %s keeps it in every file',
    (series) => {
      expect(read({ symbol: `YESBANK-${series}` })).toMatchObject({
        symbol: `YESBANK-${series}`,
        brokerSymbol: `YESBANK-${series}`,
        name: 'SBIN',
      })
    },
  )

  it('have the main series of a share under its plain symbol, and another series under its own', () => {
    const { instruments } = rig.context
    expect(instruments.find('SBIN', 'NSE')).toMatchObject({ brokerSymbol: 'SBIN-EQ', token: '3045' })
    expect(instruments.find('SBIN-BE', 'NSE')).toMatchObject({ brokerSymbol: 'SBIN-BE', token: '3044' })
    expect(instruments.find('YESBANK-BE', 'NSE')).toMatchObject({ brokerSymbol: 'YESBANK-BE' })
    expect(instruments.find('YESBANK', 'NSE')).toBeUndefined()
  })

  it('of a file that is cut off are refused', async () => {
    rig.fake.script.set({ route: 'instruments', actions: ['garbage'] })
    const read = async () => {
      for await (const _ of angel.instruments.download(undefined, rig.context));
    }
    await expect(read()).rejects.toMatchObject({ kind: 'protocol' })
  })
})
