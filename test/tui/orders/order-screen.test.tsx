import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { OrderFeed } from '../../../src/tui/orders/feed.js'
import { orders } from '../../../src/tui/orders/screen.js'
import type { ScreenProps } from '../../../src/tui/screen/screen.js'
import { DOWN, ENTER, ESC, shown, TAB } from '../support/shown.js'
import { AT_MARKET, tradingDesk } from '../support/trading-desk.js'

const SIZE = { width: 80, height: 21 }

/** The screen over a daemon with orders. */
async function opened(
  mode: 'live' | 'analyze' = 'analyze',
  prepare: (desk: Awaited<ReturnType<typeof tradingDesk>>) => Promise<unknown> = async () => undefined,
  props: Partial<ScreenProps> = {},
) {
  const desk = await tradingDesk(mode)
  await prepare(desk)
  return { ...desk, ...(await shown(desk.access, <orders.View {...SIZE} {...props} />)) }
}

const fits = (screen: string) => {
  const lines = screen.split('\n')
  expect(lines.length).toBeLessThanOrEqual(SIZE.height)
  expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(SIZE.width)
}

describe('the list', () => {
  it('says that there are no orders, and how to place one', async () => {
    const { shows, screen } = await opened()
    await shows('No orders today. Press n to place one.')
    fits(screen())
  })

  it('shows open orders first, then the newest, in 80 columns', async () => {
    const ids: string[] = []
    const { shows, screen } = await opened('analyze', async ({ place }) => {
      ids.push(await place())
      ids.push(await place(AT_MARKET))
      ids.push(await place({ symbol: 'INFY', price: 1380 }))
    })
    await shows('3 orders, 2 open')
    const rows = screen()
      .split('\n')
      .filter((line) => /SBIN|INFY/.test(line))
    expect(rows.map((line) => /INFY|SBIN/.exec(line)?.[0])).toEqual(['INFY', 'SBIN', 'SBIN'])
    expect(rows[0]).toMatch(/^>.*INFY.*BUY.*10.*open/)
    expect(rows[2]).toMatch(/complete/)
    fits(screen())
  })

  it('shows a new order at once', async () => {
    const { shows, place } = await opened()
    await shows('No orders today')
    await place()
    await shows(/SBIN.*open/)
  })

  it.each([
    ['filters', ['/', 'i', 'n', 'f', ENTER], '1 of 2 with "inf"'],
    ['sorts', ['o'], 'by timestamp'],
    ['reverses', ['o', 'O'], 'by -timestamp'],
  ])('%s', async (_name, keys, words) => {
    const { shows, press } = await opened('analyze', async ({ place }) => {
      await place()
      await place({ symbol: 'INFY', price: 1380 })
    })
    await shows('2 orders, 2 open')
    for (const key of keys) await press(key)
    await shows(words)
  })

  it('says that no row has the text of the filter', async () => {
    const { shows, press } = await opened('analyze', ({ place }) => place())
    await shows('1 order, 1 open')
    for (const key of ['/', 'x', 'y', ENTER]) await press(key)
    await shows('No row has "xy".')
  })

  it('tab shows the trades, and tab again the orders', async () => {
    const { shows, press, screen } = await opened('analyze', ({ place }) => place(AT_MARKET))
    await shows('1 order, 0 open')
    await press(TAB)
    await shows(/\[trades\](.|\n)*SBIN/)
    await shows('1 trade')
    fits(screen())
    await press(TAB)
    await shows(/\[orders\]/)
  })

  it('says why the books cannot be read', async () => {
    const { shows } = await opened('live', ({ http }) => http.desk.service.brokers.logout())
    await shows('Not read: The Simulated exchange session is missing')
  })

  it('shows the age of the rows and the reason when a later read fails', async () => {
    const { shows, http, desk } = await opened('live', ({ place }) => place())
    await shows(/> .*SBIN/)
    await http.desk.service.brokers.logout()
    await desk.part(OrderFeed).refresh()
    await shows(/\d+s old: The Simulated exchange session/)
    await shows('SBIN')
  })

  it('keeps the rows while the daemon is away, and reads again when it is back', async () => {
    const { shows, lose, comeBack, place, desk } = await opened('analyze', ({ place }) => place())
    await shows('1 order, 1 open')
    await lose()
    await expect.poll(() => desk.connection.state.get().kind).toBe('lost')
    await shows('SBIN')
    await comeBack()
    await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
    await place({ symbol: 'INFY', price: 1380 }).catch(() => undefined)
    await shows('SBIN')
  })
})

describe('the details', () => {
  it('enter shows every field, the fills, and the raw order; esc goes back', async () => {
    const { shows, press, screen } = await opened('live', ({ place }) => place(AT_MARKET))
    await shows('1 order, 0 open')
    await press(ENTER)
    await shows(/REFERENCE +S[0-9A-Z]{17}/)
    await shows(/STATE +filled/)
    fits(screen())
    await press('G')
    await shows('"absence": null')
    await press('g')
    await shows(/FILLS +.*10 at 7\d\d/)
    await press('\u001b[6~')
    await shows(/EVENTS +.*claimed/)
    await shows(/claimed → sending/)
    await press(ESC)
    await shows('[orders]')
  })

  it('shows an order that another screen asks for', async () => {
    const desk = await tradingDesk('analyze')
    const id = await desk.place()
    await desk.place({ symbol: 'INFY', price: 1380 })
    const asked = { target: { kind: 'order' as const, id }, count: 1 }
    const { shows, press } = await shown(desk.access, <orders.View {...SIZE} asked={asked} />)
    await shows(new RegExp(`ORDER +${id}`))
    await press('c')
    await shows(`order ${id}, filled 0`)
    await shows('Cancel BUY 10 NSE:SBIN')
  })

  it('says that an order is not found', async () => {
    const desk = await tradingDesk('analyze')
    const asked = { target: { kind: 'order' as const, id: '9' }, count: 1 }
    const { shows } = await shown(desk.access, <orders.View {...SIZE} asked={asked} />)
    await shows(/Order 9: .*not found/i)
  })

  it('shows the order of a trade', async () => {
    const { shows, press } = await opened('analyze', ({ place }) => place(AT_MARKET))
    await shows('1 order, 0 open')
    await press(TAB)
    await shows(/> .*SBIN/)
    await press(ENTER)
    await shows(/STATUS +complete/)
  })
})

describe('an order in doubt', () => {
  it('comes first, names the commands that settle it, and is not changed', async () => {
    const { shows, press, http, client } = await opened('live', async ({ place }) => place())
    await shows('1 order, 1 open')
    http.desk.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'lose_request', times: 1 }])
    const order = { strategy: 't', symbol: 'INFY', exchange: 'NSE', action: 'BUY', quantity: 5 } as const
    await client.call('placeorder', order).catch(() => undefined)
    await shows('1 IN DOUBT')
    await shows(/INFY.*in doubt/)
    await press('g')
    await press('c')
    await shows('svc order settle S')
    await press(ENTER)
    await shows(/svc order settle S[0-9A-Z]{17} --outcome rejected/)
  })
})

describe('cancelling', () => {
  it('c asks, names the order, and y cancels it', async () => {
    const { shows, press, orders, trading } = await opened('analyze', ({ place }) => place())
    await shows('1 order, 1 open')
    await press('c')
    await shows('Cancel BUY 10 NSE:SBIN in ANALYZE mode at simulated?')
    await shows('LIMIT at ₹740.00, MIS')
    expect((await orders())[0]?.order_status).toBe('open')
    await press('y')
    await trading(shows(/Cancel order \d+: done/))
    await shows('cancelled')
    expect((await orders())[0]?.order_status).toBe('cancelled')
  })

  it.each(['n', ESC, 'q'])('%j leaves the question and sends nothing', async (key) => {
    const { shows, press, orders } = await opened('analyze', ({ place }) => place())
    await shows('1 order, 1 open')
    await press('c')
    await shows('Cancel BUY 10')
    await press(key)
    await shows('[orders]')
    expect((await orders())[0]?.order_status).toBe('open')
  })

  it('does not ask for an order that has ended', async () => {
    const { shows, press } = await opened('analyze', ({ place }) => place(AT_MARKET))
    await shows('1 order, 0 open')
    await press('c')
    await shows(/Order \d+ is complete: it cannot be changed/)
  })

  it('C names the count and the value; in Analyzer mode y is enough', async () => {
    const { shows, press, orders, trading } = await opened('analyze', async ({ place }) => {
      await place()
      await place({ symbol: 'INFY', price: 1380, quantity: 2 })
    })
    await shows('2 orders, 2 open')
    await press('C')
    await shows('Cancel every waiting order, 2 orders, in ANALYZE mode at simulated?')
    await shows('value ₹10,160.00')
    await press('y')
    await trading(shows('Cancel all: 2 orders cancelled.'))
    expect((await orders()).map(({ order_status }) => order_status)).toEqual(['cancelled', 'cancelled'])
  })

  it('C in Live mode needs the word', async () => {
    const { shows, press, orders, trading } = await opened('live', ({ place }) => place())
    await shows('1 order, 1 open')
    await press('C')
    await shows('Cancel every waiting order, 1 order, in LIVE mode')
    await shows('Type cancel to confirm')
    await press('y')
    await press(ENTER)
    await shows('[orders]')
    expect((await orders())[0]?.order_status).toBe('open')
    await press('C')
    await shows('Type cancel to confirm')
    await press('cancel')
    await press(ENTER)
    await trading(shows('Cancel all: 1 order cancelled.'))
  })

  it('C without a waiting order says so', async () => {
    const { shows, press } = await opened()
    await shows('No orders today')
    await press('C')
    await shows('Not sent: no order waits.')
  })

  it('sends nothing when the mode changes after the question', async () => {
    const { shows, press, setMode, orders } = await opened('analyze', ({ place }) => place())
    await shows('1 order, 1 open')
    await press('c')
    await shows('Cancel BUY 10')
    await setMode('live')
    await press('y')
    await shows('Not sent: the mode or the broker has changed')
    await setMode('analyze')
    expect((await orders())[0]?.order_status).toBe('open')
  })
})

describe('modifying', () => {
  it('m fills the form with the order, reviews both, and replaces it', async () => {
    const { shows, press, orders, trading } = await opened('analyze', ({ place }) => place())
    await shows('1 order, 1 open')
    await press('m')
    await shows(/Modify BUY NSE:SBIN, order \d+: .*tick 0.05/)
    await shows(/Quantity +10/)
    await press(DOWN)
    await press(DOWN)
    await shows(/> Price +740/)
    for (const key of ['\u007f', '1', '.', '0', '3']) await press(key)
    await shows('a multiple of the tick, 0.05')
    await press('\u007f')
    await press('5')
    await press(ENTER)
    await shows('Modify BUY 10 NSE:SBIN in ANALYZE mode at simulated?')
    await shows('now: 10 LIMIT at ₹740.00')
    await shows('then: 10 LIMIT at ₹741.05')
    await press('y')
    await trading(shows(/Modify order \d+: done/))
    expect((await orders())[0]).toMatchObject({ price: 741.05, quantity: 10, order_status: 'open' })
  })

  it('esc in the form changes nothing', async () => {
    const { shows, press } = await opened('analyze', ({ place }) => place())
    await shows('1 order, 1 open')
    await press('m')
    await shows('Modify BUY NSE:SBIN')
    await press(ESC)
    await shows('[orders]')
  })
})

describe('the terminal', () => {
  it('gets no control characters from an order', async () => {
    const { shows, press, screen } = await opened('analyze', ({ place }) =>
      place({ strategy: 'evil\u001b[2J\u202e' }),
    )
    await shows('SBIN')
    await press(ENTER)
    await shows('evil\\u001b[2J\\u202e')
    expect(screen()).not.toContain('\u202e')
  })
})
