import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* CNC is only for shares: the answer says what a strategy of that product sends for its contracts. */

const STRADDLE = `
name: positional-straddle
underlying: NIFTY
underlying_exchange: NSE_INDEX
strategy_type: positional
product: PRODUCT
legs:
  - {segment: options, position: S, lots: 1, option_type: CE, atm_offset: ATM, expiry: weekly}
`
const SAID = 'Its options and futures are sent as NRML: CNC is only for shares.'

test.each([
  ['CNC', true],
  ['NRML', false],
])('a strategy of options with the product %s', async (product, isSaid) => {
  const desk = await CliDesk.open()
  const created = await desk.svc('strategy create - --json', { stdin: STRADDLE.replace('PRODUCT', product) })
  expect([created.exit, created.stderr.includes(SAID)]).toEqual([0, isSaid])
  const shown = await desk.svc('strategy show positional-straddle')
  expect([shown.exit, shown.stderr.includes(SAID)]).toEqual([0, isSaid])
})
