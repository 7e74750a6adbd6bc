import { expect, it } from 'vitest'
import { CurrentDirectory, InMemoryDirectory } from '../../../src/core/instruments/index.js'
import { ListedMarket, MarketData, TickHub } from '../../../src/core/market/index.js'
import { connect, INSTRUMENTS } from '../brokers/simulated/support.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const INFY = { symbol: 'INFY', exchange: 'NSE' }

it('a list of symbols is looked up again when another master is loaded', async () => {
  const { client, clock, plugin } = connect()
  const hub = new TickHub({ clock, onListenerError: () => undefined })
  const market = new MarketData({ hub, broker: () => ({ client, manifest: plugin.manifest }) })
  const directory = new CurrentDirectory(InMemoryDirectory.of(INSTRUMENTS))
  const listed = new ListedMarket(market, directory)
  const list = Object.freeze([SBIN, INFY])
  for (let round = 0; round < 2; round++) expect(await listed.quotes(list)).toMatchObject([SBIN, INFY])
  directory.replace(InMemoryDirectory.of(INSTRUMENTS.filter(({ symbol }) => symbol !== 'SBIN')))
  for (let round = 0; round < 2; round++) {
    expect(await listed.quotes(list)).toMatchObject([
      { error: expect.stringContaining("Symbol 'SBIN' not found") },
      INFY,
    ])
  }
})
