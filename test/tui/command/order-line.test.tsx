import { describe, expect, it } from 'vitest'
import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { type CommandAccess, CommandsProvider } from '../../../src/tui/command/access.js'
import { App } from '../../../src/tui/shell/App.js'
import { losingAnswers } from '../support/lost-answers.js'
import { ENTER, ESC, shown } from '../support/shown.js'
import { AT_MARKET, tradingDesk } from '../support/trading-desk.js'

const SIZE = { columns: 98, rows: 24 }
const COMMANDS: CommandAccess = {
  program: [process.execPath, '-e', ''],
  env: {},
  expanded: async (words) => words,
  commandOf: async () => undefined,
  complete: async () => [{ value: 'broker', summary: 'brokers' }],
}

type Trading = Awaited<ReturnType<typeof tradingDesk>>

/** The whole program with its command line open, over a daemon in a mode. */
async function opened(
  mode: 'live' | 'analyze' = 'analyze',
  access: (desk: Trading) => Promise<DaemonAccess> = async (desk) => desk.access,
) {
  const desk = await tradingDesk(mode)
  const app = await shown(
    await access(desk),
    <CommandsProvider value={COMMANDS}>
      <App first="orders" size={SIZE} onQuit={() => undefined} />
    </CommandsProvider>,
  )
  await app.shows('No orders today')
  const type = async (text: string) => {
    await app.press(':')
    await app.shows(': svc')
    await app.press(text)
    await app.shows(`: svc ${text}`)
  }
  return { ...desk, ...app, type }
}

/** The terms of an order in the request for its margin. */
const AT_ANY_PRICE = /"pricetype":"MARKET"/
const AT_700 = /"price":"?700\b/

describe('the preview of an order line', () => {
  it('shows mode, symbol, terms, lots, value and margin, and sends nothing', async () => {
    const { orders, shows, type } = await opened()
    await type('b 2l nifty 26000ce 100')
    await shows('ANALYZE (simulated), broker simulated')
    await shows('BUY 130 NFO:NIFTY24NOV2626000CE')
    await shows('LIMIT at ₹100.00')
    await shows('2 lots of 65')
    await shows('value ₹13,000.00')
    await shows(/margin ₹[\d,.]+/)
    await shows('enter review')
    expect(await orders()).toEqual([])
  })

  it('follows what is typed: the words of an earlier line are gone at once', async () => {
    const { press, screen, shows, type } = await opened()
    await type('b 10 sbin')
    await shows('BUY 10 NSE:SBIN')
    await press('0')
    await shows(': svc b 10 sbin0')
    expect(screen()).not.toContain('BUY')
    await shows('No instrument is SBIN0. Look for it: svc search SBIN0')
  })

  it('never shows a late answer for a newer line', async () => {
    const margins = new HeldMargins()
    const { press, screen, shows, type } = await opened('analyze', async ({ access }) => margins.held(access))
    await type('b 10 sbin')
    await expect.poll(() => margins.asks(AT_ANY_PRICE)).toBe(true)
    await press(' 700')
    // A slow machine asks for a line that is typed in part, too.
    await expect.poll(() => margins.asks(AT_700)).toBe(true)
    await margins.answer(AT_700)
    await shows('LIMIT at ₹700.00')
    await margins.answer(AT_ANY_PRICE)
    await shows('LIMIT at ₹700.00')
    expect(screen()).not.toContain('MARKET')
  })

  it('says what is missing, with the words that may stand there', async () => {
    const { shows, type } = await opened()
    await type('b sbin 10')
    await shows('The quantity is missing')
    await shows(/26300ce, 26300pe +the call or the put of a strike/)
  })

  it('waits for the end of the first word: b may become broker', async () => {
    const { screen, shows, type } = await opened()
    await type('b')
    await shows('brokers')
    expect(screen()).not.toContain('is missing')
  })

  it('shows the position that a line closes, and the order that it cancels', async () => {
    const { place, press, shows, type } = await opened()
    await place(AT_MARKET)
    const id = await place()
    await type('x sbin')
    await shows('Close with SELL 10 NSE:SBIN MIS at the market in ANALYZE mode')
    await press('\u0015')
    await press(`c ${id}`)
    await shows('Cancel BUY 10 NSE:SBIN in ANALYZE mode')
  })
})

describe('the review of an order line', () => {
  it('is that of the order form, and y sends the order in Analyzer mode', async () => {
    const { orders, press, shows, trading, type } = await opened()
    await type('b 10 sbin')
    await press(ENTER)
    await shows('BUY 10 NSE:SBIN in ANALYZE mode at simulated?')
    await shows(/risk checks: all \d+ passed/)
    expect(await orders()).toEqual([])
    await press('y')
    await trading(shows(/BUY 10 NSE:SBIN: simulated order \d+ is placed/))
    expect(await orders()).toMatchObject([{ symbol: 'SBIN', quantity: 10, strategy: 'tui' }])
  })

  it('opens for a do, too, which takes the same lines', async () => {
    const { orders, press, shows, trading, type } = await opened('live')
    await type('do "b 10 sbin 700"')
    await shows('LIMIT at ₹700.00')
    await press(ENTER)
    await shows('BUY 10 NSE:SBIN in LIVE mode at simulated?')
    await shows('Type live to confirm')
    await press('live')
    await press(ENTER)
    await trading(shows(/BUY 10 NSE:SBIN: LIVE order \w+ is placed/))
    expect(await orders()).toMatchObject([{ symbol: 'SBIN', quantity: 10, price: 700 }])
  })

  it('is not that of a do with options, which the command reads', async () => {
    const { shows, type } = await opened('live')
    await type('do "b 10 sbin 700" --dry-run')
    await shows('enter run')
  })

  it('asks for the word in LIVE mode', async () => {
    const { orders, press, shows, trading, type } = await opened('live')
    await type('b 10 sbin 700')
    await press(ENTER)
    await shows('Type live to confirm')
    await press('y')
    await press(ENTER)
    await shows(': svc b 10 sbin 700')
    expect(await orders()).toEqual([])
    await press(ENTER)
    await shows('Type live to confirm')
    await press('live')
    await press(ENTER)
    await trading(shows(/BUY 10 NSE:SBIN: LIVE order \w+ is placed/))
    expect(await orders()).toMatchObject([{ price: 700 }])
  })

  it('esc goes back to the line, and nothing is sent', async () => {
    const { orders, press, shows, type } = await opened()
    await type('b 10 sbin')
    await press(ENTER)
    await shows('in ANALYZE mode at simulated?')
    await press(ESC)
    await shows(': svc b 10 sbin')
    expect(await orders()).toEqual([])
  })

  it('a line that is not understood has no review', async () => {
    const { orders, press, shows, type } = await opened()
    await type('b sbin')
    await press(ENTER)
    await shows('Not sent: The quantity is missing')
    expect(await orders()).toEqual([])
  })

  it('is not sent when the mode has changed since the question', async () => {
    const { orders, press, setMode, shows, type } = await opened()
    await type('b 10 sbin')
    await press(ENTER)
    await shows('in ANALYZE mode at simulated?')
    await setMode('live')
    await press('y')
    await shows('Not sent: the mode or the broker has changed')
    expect(await orders()).toEqual([])
  })

  it('y twice sends one order', async () => {
    const { orders, press, shows, trading, type } = await opened()
    await type('b 10 sbin')
    await press(ENTER)
    await shows('in ANALYZE mode at simulated?')
    await press('yy')
    await trading(shows(/simulated order \d+ is placed/))
    expect(await orders()).toHaveLength(1)
  })

  it('an order without an answer is in doubt, as that of the form', async () => {
    const { press, shows, trading, type } = await opened('live', async (desk) =>
      losingAnswers(desk, '/api/v1/placeorder'),
    )
    await type('b 10 sbin')
    await press(ENTER)
    await shows('Type live to confirm')
    await press('live')
    await press(ENTER)
    await trading(shows('IN DOUBT svc order journal --symbol NSE:SBIN (BUY 10 NSE:SBIN)'))
  })

  it('of m changes the price alone, and refuses one that the order does not have', async () => {
    const { orders, place, press, shows, trading, type } = await opened()
    const id = await place()
    await type(`m ${id} sl 600`)
    await press(ENTER)
    await shows("sl 600 contradicts the order's type LIMIT")
    await press('\u0015')
    await press(`m ${id} 741`)
    await press(ENTER)
    await shows('then: 10 LIMIT at ₹741.00')
    await press('y')
    await trading(shows(`Modify order ${id}: done.`))
    expect(await orders()).toMatchObject([{ price: 741, quantity: 10 }])
  })
})

/** Margins whose answers wait for the test. */
class HeldMargins {
  readonly #held: { request: string; release(): void; answer: Promise<unknown> }[] = []

  /** Returns whether somebody asks for the margin of an order of these terms. */
  asks(terms: RegExp): boolean {
    return this.#held.some(({ request }) => terms.test(request))
  }

  /** Lets an answer go, and resolves when it is there. */
  async answer(terms: RegExp): Promise<void> {
    const held = this.#held.find(({ request }) => terms.test(request))
    held?.release()
    await held?.answer
  }

  /** Returns an access whose clients ask for margins only when the test lets them. */
  held(access: DaemonAccess): DaemonAccess {
    return {
      client: (timeoutMs) => {
        const client = access.client(timeoutMs)
        const call = client.call.bind(client)
        client.call = async (name, body, options) => {
          if (name !== 'margin') return call(name, body, options)
          let release = () => {}
          const released = new Promise<void>((resolve) => {
            release = resolve
          })
          const answer = released.then(() => call(name, body, options))
          this.#held.push({ request: JSON.stringify(body), release: () => release(), answer })
          return answer
        }
        return client
      },
    }
  }
}
