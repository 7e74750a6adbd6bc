import { describe, expect, it } from 'vitest'
import { positions as positionScreen } from '../../../src/tui/positions/screen.js'
import { QuestionAges } from '../../../src/tui/question/age.js'
import { ENTER, shown } from '../support/shown.js'
import { AT_MARKET, tradingDesk } from '../support/trading-desk.js'

const SIZE = { width: 80, height: 21 }
type Trading = Awaited<ReturnType<typeof tradingDesk>>

/** The screen over a daemon with a position, and the sizes of its positions. */
async function opened(prepare: (desk: Trading) => Promise<unknown>, mode: 'live' | 'analyze' = 'analyze') {
  const desk = await tradingDesk(mode)
  await prepare(desk)
  const quantities = async () =>
    (await desk.client.call('positionbook', {})).data.map(({ quantity }) => quantity)
  const screen = await shown(desk.access, <positionScreen.View {...SIZE} />)
  await screen.shows('1 open position')
  return { ...desk, ...screen, quantities }
}

const long = ({ place }: Trading) => place({ ...AT_MARKET, quantity: 11 })
const short = ({ place }: Trading) => place({ ...AT_MARKET, action: 'SELL', quantity: 11 })

describe('h', () => {
  it.each([
    [
      'a long position, and keeps the larger half',
      long,
      /Halve with SELL 5 NSE:SBIN MIS at the market in ANALYZE/,
      6,
    ],
    ['a short position', short, /Halve with BUY 5 NSE:SBIN MIS/, -6],
  ])('halves %s', async (_name, prepare, title, left) => {
    const { press, quantities, shows, trading } = await opened(prepare)
    await press('h')
    await shows(title)
    await shows('risk checks: all passed')
    await press('y')
    await trading(shows(/Halve NSE:SBIN: simulated order \d+ is placed/))
    await expect.poll(quantities).toEqual([left])
  })

  it('needs no word in Live mode: it lowers risk', async () => {
    const { press, quantities, shows, trading } = await opened(long, 'live')
    await press('h')
    await shows(/Halve with SELL 5 NSE:SBIN MIS at the market in LIVE/)
    await press('y')
    await trading(shows(/Halve NSE:SBIN: LIVE order \w+ is placed/))
    await expect.poll(quantities).toEqual([6])
  })

  it('does not halve the smallest quantity', async () => {
    const { press, shows } = await opened(({ place }) => place({ ...AT_MARKET, quantity: 1 }))
    await press('h')
    await shows('Not sent: 1 cannot be halved')
  })

  it('sends nothing when the position has moved since the question', async () => {
    const { place, press, quantities, shows } = await opened(long)
    await press('h')
    await shows('Halve with SELL 5')
    await place({ ...AT_MARKET, action: 'SELL', quantity: 11 })
    await press('y')
    await shows('Not sent: the position in NSE:SBIN MIS is 0 now, and was 11.')
    expect(await quantities()).toEqual([0])
  })
})

it.each(['c', 'h', 'v'])('%s names every order that stays', async (key) => {
  const { place, press, shows } = await opened(long)
  await place({ action: 'SELL', pricetype: 'SL-M', price: 0, trigger_price: 700, quantity: 11 })
  await place({ action: 'SELL', price: 925, quantity: 11 })
  await press(key)
  await shows(/stays: SELL 11 NSE:SBIN SL-M, trigger ₹700.00/)
  await shows(/stays: SELL 11 NSE:SBIN LIMIT at ₹925.00/)
})

it('a question about a position that may be old takes no y, and enter reads the position again', async () => {
  const { desk, place, press, quantities, shows, trading } = await opened(long)
  let now = 0
  desk.part(QuestionAges).clock = () => now
  await press('c')
  await shows('Close with SELL 11')
  now += 60_001
  await press('y')
  await shows('This may be old: enter reads it again.')
  await shows(/^enter read again {2}esc cancel/m)
  expect(await quantities()).toEqual([11])
  await place({ ...AT_MARKET, quantity: 4 })
  await press('y')
  await press(ENTER)
  await shows('Close with SELL 15')
  await press('y')
  await trading(shows(/Close NSE:SBIN: simulated order \d+ is placed/))
  await expect.poll(quantities).toEqual([0])
})

it('c sends nothing when the position has moved since the question', async () => {
  const { place, press, quantities, shows } = await opened(long)
  await press('c')
  await shows('Close with SELL 11')
  await place({ ...AT_MARKET, quantity: 9 })
  await press('y')
  await shows('Not sent: the position in NSE:SBIN MIS is 20 now, and was 11.')
  expect(await quantities()).toEqual([20])
})

describe('v', () => {
  it('turns a position to the other side with one order', async () => {
    const { press, quantities, shows, trading } = await opened(long)
    await press('v')
    await shows(/Reverse with SELL 22 NSE:SBIN MIS/)
    await shows('position 11, then -11')
    await press('y')
    await trading(shows(/Reverse NSE:SBIN: simulated order \d+ is placed/))
    await expect.poll(quantities).toEqual([-11])
  })

  it.each(['live', 'analyze'] as const)(
    'does not sell delivered shares in %s: CNC has no short side',
    async (mode) => {
      const { press, quantities, shows } = await opened(
        ({ place }) => place({ ...AT_MARKET, product: 'CNC', quantity: 11 }),
        mode,
      )
      await press('v')
      await shows('Not sent: delivery (CNC) has no short side')
      expect(await quantities()).toEqual([11])
    },
  )

  it('needs the word in Live mode', async () => {
    const { press, shows } = await opened(long, 'live')
    await press('v')
    await shows('Type live to confirm')
  })
})
