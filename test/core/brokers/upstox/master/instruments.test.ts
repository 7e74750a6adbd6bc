import { describe, expect, it, onTestFinished } from 'vitest'
import { upstox } from '../../../../../src/core/brokers/upstox/index.js'
import type { Instrument } from '../../../../../src/core/instruments/schema.js'
import { masterFile, masterRows } from '../../../../fixtures/fake-upstox/catalogue.js'
import { contextFor, startRig } from '../rig.js'

async function downloaded(file: Uint8Array) {
  const rig = await startRig()
  onTestFinished(() => rig.close())
  rig.fake.world.master = file
  const context = contextFor(rig.fake.endpoints)
  const found = new Map<string, Instrument>()
  // Without a session: the file is open to everybody.
  for await (const batch of upstox.instruments.download(undefined, context)) {
    for (const row of batch) found.set(`${row.exchange}:${row.symbol}`, row)
  }
  return { found, lines: context.lines }
}

describe('the list of instruments', () => {
  it('has every kind of instrument in our spelling, and its key as the token', async () => {
    const { found } = await downloaded(masterFile())
    expect([...found].map(([symbol, { token }]) => [symbol, token])).toEqual([
      ['NSE:INFY', 'NSE_EQ|INE009A01021'],
      ['NSE:SBIN', 'NSE_EQ|INE062A01020'],
      ['NSE:RELIANCE', 'NSE_EQ|INE002A01018'],
      ['NSE:TCS', 'NSE_EQ|INE467B01029'],
      ['NSE:HDFCBANK', 'NSE_EQ|INE040A01034'],
      ['BSE:SBIN', 'BSE_EQ|INE062A01020'],
      ['NSE_INDEX:NIFTY', 'NSE_INDEX|Nifty 50'],
      ['NSE_INDEX:BANKNIFTY', 'NSE_INDEX|Nifty Bank'],
      ['BSE_INDEX:SENSEX', 'BSE_INDEX|SENSEX'],
      ['GLOBAL_INDEX:US500', 'GLOBAL_INDEX|GSPC'],
      ['NFO:NIFTY29JAN30FUT', 'NSE_FO|53001'],
      ['NFO:NIFTY29JAN3024000CE', 'NSE_FO|53002'],
      ['NFO:NIFTY29JAN3024000PE', 'NSE_FO|53003'],
      ['NFO:M&M29JAN30FUT', 'NSE_FO|53004'],
      ['CDS:USDINR29JAN30FUT', 'NCD_FO|1001'],
      ['CDS:USDINR29JAN3084.25CE', 'NCD_FO|1002'],
      ['CDS:EURUSD29JAN30FUT', 'NCD_FO|1004'],
      ['MCX:GOLDM31JAN30FUT', 'MCX_FO|2001'],
      ['MCX:NEWMETAL31JAN30FUT', 'MCX_FO|2002'],
    ])
  })

  it('has lots in units, ticks in rupees, and the underlying of contracts', async () => {
    const { found } = await downloaded(masterFile())
    expect(found.get('NFO:NIFTY29JAN3024000CE')).toEqual({
      symbol: 'NIFTY29JAN3024000CE',
      brokerSymbol: 'NIFTY 24000 CE 29 JAN 30',
      name: 'NIFTY',
      exchange: 'NFO',
      brokerExchange: 'NSE_FO',
      token: 'NSE_FO|53002',
      expiry: '29-JAN-30',
      strike: 24_000,
      lotSize: 75,
      instrumentType: 'CE',
      tickSize: 0.05,
    })
    expect(found.get('MCX:GOLDM31JAN30FUT')).toMatchObject({ lotSize: 10, tickSize: 1 })
    expect(found.get('CDS:USDINR29JAN30FUT')).toMatchObject({ lotSize: 1000, tickSize: 0.0025 })
    expect(found.get('NSE:INFY')).toMatchObject({ name: 'INFOSYS LIMITED', lotSize: 1, tickSize: 0.05 })
  })

  it('reads ticks that are rupees, which shares prove', async () => {
    const { found } = await downloaded(masterFile(masterRows(1)))
    expect(found.get('NSE:RELIANCE')).toMatchObject({ tickSize: 0.1 })
    expect(found.get('MCX:GOLDM31JAN30FUT')).toMatchObject({ tickSize: 1 })
  })

  it('without any share is refused, because the unit of its ticks is unknown', async () => {
    const others = masterRows().filter(({ segment }) => segment !== 'NSE_EQ')
    await expect(downloaded(masterFile(others))).rejects.toMatchObject({ kind: 'protocol' })
  })

  it('leaves out a currency whose lot contradicts our units, and counts what cannot be read', async () => {
    const odd = [
      { segment: 'NSE_FO', instrument_type: 'FUT', instrument_key: 'NSE_FO|9', trading_symbol: 'X' },
      7,
    ]
    const { lines } = await downloaded(masterFile([...masterRows(), ...odd]))
    expect(lines).toMatchObject([
      {
        event: 'broker.unusable_instruments',
        fields: {
          rows: 3,
          examples: [
            'the lot size 100000 of JPYINR is not 1000',
            'the underlying of "X" is unknown',
            'a row has no key, symbol or segment',
          ],
        },
      },
    ])
  })

  it('leaves out a contract without a lot, and takes a share without one', async () => {
    const rows = masterRows().map(({ lot_size, ...row }) =>
      ['NSE_FO|53001', 'NSE_EQ|INE009A01021'].includes(String(row.instrument_key))
        ? row
        : { ...row, lot_size },
    )
    const { found, lines } = await downloaded(masterFile(rows))
    expect(found.get('NSE:INFY')).toMatchObject({ lotSize: 1 })
    expect(found.has('NFO:NIFTY29JAN30FUT')).toBe(false)
    expect(JSON.stringify(lines)).toMatch(/the lot size of .{1,40} is not above zero/)
  })

  it('keeps the series of a share apart from the main one', async () => {
    const [main] = masterRows()
    const series = { ...main, instrument_type: 'BE', instrument_key: 'NSE_EQ|INE009A01021BE' }
    const { found } = await downloaded(masterFile([series, ...masterRows()]))
    expect(found.get('NSE:INFY')?.token).toBe('NSE_EQ|INE009A01021')
    expect(found.get('NSE:INFY-BE')?.token).toBe('NSE_EQ|INE009A01021BE')
  })

  it('lists every row once by its symbol, its token and the symbol of the broker', async () => {
    const { found } = await downloaded(masterFile())
    const { instruments } = contextFor({})
    for (const row of found.values()) {
      expect(instruments.find(row.symbol, row.exchange)).toEqual(row)
      expect(instruments.byToken(row.brokerExchange, row.token)).toEqual(row)
      expect(instruments.byBrokerSymbol(row.brokerExchange, row.brokerSymbol)).toEqual(row)
    }
  })

  it('that is cut off is refused', async () => {
    const file = masterFile()
    await expect(downloaded(file.subarray(0, file.length - 50))).rejects.toMatchObject({ kind: 'protocol' })
  })
})
