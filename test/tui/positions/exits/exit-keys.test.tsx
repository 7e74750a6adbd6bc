import { expect, it } from 'vitest'
import { positions as positionScreen } from '../../../../src/tui/positions/screen.js'
import { ENTER, ESC, shown } from '../../support/shown.js'
import { heldDesk } from './exit-desk.js'

const SIZE = { width: 80, height: 21 }

/** The screen over a daemon with one position, of delivery or intraday. */
async function opened(product: 'CNC' | 'MIS' = 'CNC') {
  const desk = await heldDesk({ product })
  const screen = await shown(desk.access, <positionScreen.View {...SIZE} />)
  await screen.shows('1 open position')
  const type = async (text: string) => {
    for (const letter of text) await screen.press(letter)
    await screen.press(ENTER)
  }
  return { ...desk, ...screen, type }
}

it('B asks for stop and target, shows the review, and places one GTT', async () => {
  const { gtts, press, shows, trading, type } = await opened()
  await press('B')
  await shows(/^Bracket 10 NSE:SBIN CNC, average ₹/m)
  await type('10%')
  await type('20%')
  await shows(/Bracket with SELL 10 NSE:SBIN CNC in ANALYZE/)
  await press('y')
  await trading(shows(/Bracket NSE:SBIN: simulated GTT \S+ waits for its stop/))
  expect(await gtts()).toHaveLength(1)
})

it('the form comes back with what was typed: after esc, and with the reason after a refusal', async () => {
  const { gtts, press, shows, type } = await opened()
  await press('B')
  await type('10%')
  await type('20%')
  await shows(/Bracket with SELL 10/)
  await press(ESC)
  await shows(/> Stop +10%/)
  await shows(/Target +20%/)
  await press('\u0015')
  await type('9000')
  await type('')
  await shows(/the stop ₹9,000\.00 is not below the last price/)
  await shows(/> Stop +9000/)
  expect(await gtts()).toEqual([])
  await press(ESC)
  await shows(/SBIN +NSE +CNC/)
})

it('a distance that is none is named while it is typed', async () => {
  const { press, shows } = await opened()
  await press('t')
  await shows(/^Move the stop nearer, once: 10 NSE:SBIN CNC/m)
  await press('5')
  await shows('a distance: 1.5% or 15pt')
})

it('B opens no form for an intraday position, and says why', async () => {
  const { press, screen, shows } = await opened('MIS')
  await press('B')
  await shows(/Not sent: MIS is intraday-only/)
  expect(screen()).not.toContain('Bracket 10')
})
