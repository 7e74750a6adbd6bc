import stringWidth from 'string-width'
import { onTestFinished, vi } from 'vitest'
import { market } from '../../../src/tui/market/screen.js'
import { PREFERENCE } from '../../../src/tui/market/watch/watch-list.js'
import { type ScreenProps, type Shell, ShellContext } from '../../../src/tui/screen/screen.js'
import { FRIDAY_11 } from '../../support/desk/desk.js'
import { liveDesk } from '../support/live-desk.js'
import { shown } from '../support/shown.js'

type LiveDesk = Awaited<ReturnType<typeof liveDesk>>

interface Options {
  /** The watch list as the daemon has it. */
  list?: readonly string[]
  asked?: ScreenProps['asked']
  width?: number
  height?: number
}

/** A daemon with a market, on the day of its clock; the terminal has the same time. */
export async function marketDesk(options: Parameters<typeof liveDesk>[0] = {}): Promise<LiveDesk> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(FRIDAY_11) })
  onTestFinished(() => void vi.useRealTimers())
  return liveDesk(options)
}

/** The daemon sends a price of a symbol that somebody follows. */
export function trade(
  { http }: LiveDesk,
  [exchange, symbol]: readonly [string, string],
  price: number,
): void {
  http.desk.service.hub.publish({
    exchange,
    symbol,
    ltp: price,
    timestamp: http.desk.clock.now(),
    open: 800,
    high: 820,
    low: 790,
    prevClose: 800,
    volume: 1000,
    oi: 0,
    lastQuantity: 1,
    averagePrice: 800,
    bid: price - 1,
    ask: price + 1,
    bidSize: 5,
    askSize: 6,
    totalBuyQuantity: 300,
    totalSellQuantity: 100,
    depth: {
      buy: [{ price: price - 1, quantity: 5, orders: 2 }],
      sell: [{ price: price + 1, quantity: 6, orders: 1 }],
    },
  })
}

/** Returns whether a text fits the screen of the market on a terminal of 80 by 24. */
export function fits(text: string, { width = 80, height = 21 } = {}): boolean {
  const lines = text.split('\n')
  return lines.length <= height && lines.every((line) => stringWidth(line) <= width)
}

/** The market screen over a daemon, as large as on a terminal of 80 by 24. */
export async function marketScreen(desk: LiveDesk, { list, asked, width = 80, height = 21 }: Options = {}) {
  if (list !== undefined) await desk.client.call('chart', { [PREFERENCE]: JSON.stringify(list) })
  const jumps: { screen: string; id: string | undefined }[] = []
  const shell: Shell = {
    show: (screen, target) => void jumps.push({ screen, id: target?.id }),
    open: () => undefined,
    focus: () => undefined,
  }
  const screen = await shown(
    desk.access,
    <ShellContext.Provider value={shell}>
      <market.View width={width} height={height} {...(asked && { asked })} />
    </ShellContext.Provider>,
  )
  /** Returns the watch list as the daemon has it. */
  const saved = async () => {
    const { data } = await desk.client.request('GET /api/v1/chart', {})
    return JSON.parse(String(data[PREFERENCE] ?? '[]'))
  }
  return { ...screen, jumps, saved }
}
