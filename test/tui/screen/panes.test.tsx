import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { approvals } from '../../../src/tui/approvals/screen.js'
import { panesIn } from '../../../src/tui/components/SidePane.js'
import { orders } from '../../../src/tui/orders/screen.js'
import { positions } from '../../../src/tui/positions/screen.js'
import { queueDesk } from '../approvals/queue-desk.js'
import { DOWN, ENTER, ESC, shown, TAB } from '../support/shown.js'
import { AT_MARKET, tradingDesk } from '../support/trading-desk.js'

/* Two panes: beside a list, what its cursor is on. */

const WIDE = { width: 120, height: 30 }
const RULE = '│'

/** Returns what is right of the rule, line by line. */
const paneOf = (screen: string) =>
  screen
    .split('\n')
    .filter((line) => line.includes(RULE))
    .map((line) => line.slice(line.lastIndexOf(RULE) + 1).trim())
    .join('\n')

const widest = (screen: string) => Math.max(...screen.split('\n').map((line) => stringWidth(line)))

it.each([
  [80, undefined],
  [99, undefined],
  [100, { list: 60, pane: 40 }],
  [120, { list: 72, pane: 48 }],
  [200, { list: 130, pane: 70 }],
])('a terminal of %s cells has %o', (width, panes) => {
  expect(panesIn(width)).toEqual(panes)
})

describe('a pane', () => {
  it('shows the order under the cursor, with its history', async () => {
    const { access, place } = await tradingDesk('live')
    await place(AT_MARKET)
    await place({ symbol: 'INFY', price: 1380 })
    const { shows, screen, press } = await shown(access, <orders.View {...WIDE} />)
    await shows(/INFY.*open/)
    await expect.poll(() => paneOf(screen())).toMatch(/^BUY 10 INFY[\s\S]*EVENTS[\s\S]*accepted/)
    await press(DOWN)
    await expect.poll(() => paneOf(screen())).toMatch(/^BUY 10 SBIN[\s\S]*FILLS/)
    expect(widest(screen())).toBeLessThanOrEqual(WIDE.width)
    await press(TAB)
    await shows('1 trade')
    await expect.poll(() => paneOf(screen())).toMatch(/^BUY 10 SBIN[\s\S]*FILLS/)
  })

  it('shows a position with its orders of the day', async () => {
    const { access, place } = await tradingDesk('analyze')
    await place(AT_MARKET)
    const { screen } = await shown(access, <positions.View {...WIDE} />)
    await expect.poll(() => paneOf(screen())).toMatch(/^SBIN NSE MIS[\s\S]*ORDERS.*BUY 10\s+complete 10 at/)
  })

  it('leaves the keys to the list: the details are opened and closed over both', async () => {
    const { queue, access } = await queueDesk()
    for (const symbol of ['SBIN', 'INFY', 'SBIN']) await queue({ symbol })
    const { shows, screen, press } = await shown(access, <approvals.View {...WIDE} />)
    await shows(/3 .*SBIN.*pending/)
    for (const _ of [1, 2]) await press(DOWN)
    await expect.poll(() => paneOf(screen())).toMatch(/^1 {2}BUY 10 SBIN[\s\S]*STATE +pending/)
    await press(ENTER)
    await expect.poll(screen).not.toContain(RULE)
    await press(ESC)
    await expect.poll(() => paneOf(screen())).toMatch(/^1 {2}BUY 10 SBIN/)
  })

  it('is not there in 80 columns, nor beside an empty list', async () => {
    const { access, place } = await tradingDesk('analyze')
    const wide = await shown(access, <orders.View {...WIDE} />)
    await wide.shows('No orders today.')
    expect(wide.screen()).not.toContain(RULE)
    await place()
    const narrow = await shown(access, <orders.View {...WIDE} width={80} />)
    await narrow.shows(/SBIN.*open/)
    expect(narrow.screen()).not.toContain(RULE)
  })
})
