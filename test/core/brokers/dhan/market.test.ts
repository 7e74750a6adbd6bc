import { expect, onTestFinished, test } from 'vitest'
import { startRig } from './rig.js'

const INFY = { symbol: 'INFY', exchange: 'NSE' } as const

test.each([
  ['while the market is open', '2025-09-12T10:00:00+05:30'],
  ['after its end, when the close of a quote is that of the day', '2025-09-12T16:00:00+05:30'],
])('a quote has the previous close %s', async (_when, at) => {
  const { client, close, fake } = await startRig(at)
  onTestFinished(close)
  expect((await client.market.quotes([INFY]))[0]).toMatchObject({ ltp: 1500, prevClose: 1500 })
  fake.setPrice('NSE_EQ:1594', 1510.05)
  expect((await client.market.quotes([INFY]))[0]).toMatchObject({ ltp: 1510.05, prevClose: 1500 })
})
