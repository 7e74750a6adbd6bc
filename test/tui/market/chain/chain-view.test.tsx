import { describe, expect, test, vi } from 'vitest'
import type { DaemonAccess } from '../../../../src/client/daemon-access.js'
import { losingAnswers } from '../../support/lost-answers.js'
import { DOWN, ENTER, ESC, LEFT, RIGHT, TAB } from '../../support/shown.js'
import { fits, marketDesk, marketScreen, trade } from '../rig.js'

const LIST = ['NSE_INDEX:NIFTY']
const AT_THE_MONEY = /^>\* .*$/m

type Desk = Awaited<ReturnType<typeof marketDesk>>

/** The whole list of instruments takes a while to load, so these tests share what they can. */
async function opened(
  size: { width?: number; height?: number } = {},
  access: (desk: Desk) => Promise<DaemonAccess> = async (desk) => desk.access,
) {
  const desk = await marketDesk({ embeddedMarket: true })
  const screen = await marketScreen({ ...desk, access: await access(desk) }, { list: LIST, ...size })
  await screen.shows(/NIFTY +[\d,]+\.\d\d/)
  await screen.press('e')
  await screen.shows(/call NIFTY\S+CE ATM/)
  const leg = () => /(?:call|put) (\S+)/.exec(screen.screen())?.[1] ?? ''
  return { ...screen, desk, leg }
}

describe('the option chain', () => {
  test('begins at the money, with calls left and puts right, and fits', async () => {
    const { screen } = await opened()
    const text = screen()
    expect(text).toMatch(/^ NSE_INDEX:NIFTY [\d,.]+ {2}\* ATM [\d,]+ +\[\d\d[A-Z]{3}26\] \d\d/m)
    expect(text).toMatch(/Δ CALL +IV % +OI +CALL +STRIKE +PUT +OI +IV % +Δ PUT/)
    const cells = AT_THE_MONEY.exec(text)?.[0].split(/\s+/) ?? []
    expect(cells).toHaveLength(10)
    expect(text).toMatch(
      /^call NIFTY\S+CE ATM [\d.]+\/[\d.]+ {2}Δ 0\.\d\d Γ 0\.\d{4} Θ -\d+\.\d\d ν \d+\.\d\d$/m,
    )
    expect(fits(text)).toBe(true)
  })

  test('the arrows move along the strikes and between call and put', async () => {
    const { press, shows, leg } = await opened()
    const call = leg()
    await press(RIGHT)
    await shows(/^put NIFTY\S+PE ATM/m)
    expect(leg()).toBe(call.replace(/CE$/, 'PE'))
    await press(LEFT)
    await shows(/^call/m)
    await press(DOWN)
    await shows(/^call NIFTY\S+CE OTM1/m)
    await press('g')
    await shows(/^call NIFTY\S+CE ITM20/m)
    await press('G')
    await shows(/^call NIFTY\S+CE OTM20/m)
  })

  test('tab and shift-tab change the expiry', async () => {
    const { press, shows, screen } = await opened()
    const [, first = '', second = ''] = /\[(\w+)\] (\w+)/.exec(screen()) ?? []
    await press(TAB)
    await shows(new RegExp(`\\[${second}\\](.|\\n)*call NIFTY${second}`))
    await press('\u001b[Z')
    await shows(new RegExp(`\\[${first}\\](.|\\n)*call NIFTY${first}`))
    await press('[')
    await shows(`[${first}]`)
  })

  test('the prices of the rows on the screen are live, the others are not followed', async () => {
    const { desk, shows, leg, press } = await opened()
    const { hub } = desk.http.desk.service
    const near = leg()
    await expect.poll(() => hub.mode({ exchange: 'NFO', symbol: near })).toBe(2)
    trade(desk, ['NFO', near], 777.25)
    await shows(/^>\* .* 777\.25 /m)
    await shows(`${near} ATM 776.25/778.25`)
    await press('G')
    await shows('OTM20')
    await expect.poll(() => hub.mode({ exchange: 'NFO', symbol: near })).toBeUndefined()
  })

  test('enter shows the option, n orders it, a watches it, and esc leads back to the same strike', async () => {
    const { press, shows, jumps, saved, leg } = await opened()
    await press(DOWN)
    await shows('OTM1')
    const symbol = `NFO:${leg()}`
    await press('n')
    expect(jumps).toEqual([{ screen: 'orders', id: symbol }])
    await press('a')
    await expect.poll(saved).toEqual([...LIST, symbol])
    await press(ENTER)
    await shows(new RegExp(`^ ${symbol}$`, 'm'))
    await shows('total buy')
    await press(ESC)
    await shows(/OTM1|is added/)
    await shows(/^> {2}/m)
    await press(ESC)
    await shows('2 symbols')
  })

  test('space marks to buy, to sell and not; the braces size it, and x removes all marks', async () => {
    const { press, shows, screen } = await opened()
    expect(screen()).not.toContain('LEG')
    await press('{')
    await shows('The option under the cursor is not marked.')
    await press(' ')
    await shows(/^>\*.* BUY 1 .*$/m)
    await shows(
      /^Payoff \w+ \(ask prices\): at [\d,.]+ (?:loss|profit) ₹.*, max profit unlimited,\s+max loss ₹/m,
    )
    expect(screen()).not.toContain('not marked')
    expect(fits(screen())).toBe(true)
    await press('}')
    await shows(/^>\*.* BUY 2 /m)
    await press(' ')
    await shows(/^>\*.* SELL 2 /m)
    await press('{')
    await shows(/^>\*.* SELL 1 /m)
    await press(DOWN)
    await press(RIGHT)
    await press(' ')
    await shows(/^> .* BUY 1 /m)
    await shows(/^Payoff \w+ \(bid and ask prices\)/m)
    expect(screen()).toMatch(/^ \*.* SELL 1 /m)
    await press('x')
    await expect.poll(screen).not.toContain('Payoff')
    expect(screen()).not.toContain('LEG')
  })

  test('t reviews the marked options as one basket, and sends none without a mark', async () => {
    const { desk, leg, press, screen, shows } = await opened()
    const call = leg()
    await press('t')
    await shows('No option is marked: space marks the one under the cursor.')
    await press(' ')
    await press(RIGHT)
    await shows(/^put/m)
    const put = leg()
    await press(' ')
    await press(' ')
    await shows(/^>\*.* BUY 1 .* SELL 1 /m)
    await press('t')
    await shows('Place a basket of 2 orders in LIVE mode')
    expect(screen()).toMatch(new RegExp(`BUY \\d+ NFO:${call}, LIMIT at ₹[\\d.,]+, NRML`))
    expect(screen()).toMatch(new RegExp(`SELL \\d+ NFO:${put}, LIMIT at ₹[\\d.,]+, NRML`))
    expect(screen()).toMatch(/margin of all together ₹[\d,.]+/)
    await shows('Type live to confirm')
    await press(ESC)
    await shows(/^>\*.* BUY 1 .* SELL 1 /m)
    expect(await desk.http.desk.ledger()).toEqual([])
    await press('x')
  })

  test('the review names the expiry of each leg, and says which are not on the screen', async () => {
    const { desk, press, screen, shows, leg } = await opened()
    const { hub } = desk.http.desk.service
    const [, first = '', second = ''] = /\[(\w+)\] (\w+)/.exec(screen()) ?? []
    const call = leg()
    await press(' ')
    await press('t')
    await shows(new RegExp(`BUY \\d+ NFO:${call}, LIMIT at ₹[\\d.,]+, NRML, expiry ${first}`))
    expect(screen()).not.toContain('EXPIRIES')
    await press(ESC)
    await press(TAB)
    await shows(new RegExp(`call NIFTY${second}\\d+CE ATM`))
    // The chain of the screen has no price of it any more.
    await expect.poll(() => hub.mode({ exchange: 'NFO', symbol: call })).toBe(2)
    trade(desk, ['NFO', call], 500)
    await shows(`Payoff ${first}`)
    await press('t')
    await shows(`EXPIRIES: 1 leg of ${first}; the screen shows ${second}`)
    await press(ESC)
    await press(' ')
    await press('t')
    await shows(`EXPIRIES: 1 leg of ${first}, 1 leg of ${second}; the screen shows ${second}`)
    expect(screen()).toMatch(new RegExp(`NRML, expiry ${first}(.|\n)*NRML, expiry ${second}`))
    await press(ESC)
    await press('x')
  })

  test('a basket in doubt stays on the screen, and is placed once when it is traded again', async () => {
    const { desk, press, screen, shows } = await opened({}, (one) =>
      losingAnswers(one, '/api/v1/basketorder', 1),
    )
    const { clock } = desk.http.desk
    const ledger = () => desk.http.desk.ledger()
    /** Lets the market go on until the screen has a text. */
    const showsLater = (text: string | RegExp) =>
      expect
        .poll(async () => {
          await clock.advance(50)
          return screen()
        })
        .toMatch(text)
    const place = async () => {
      await press('t')
      await shows('Place a basket of 2 orders in LIVE mode')
      await shows('Type live to confirm')
    }
    await press(' ')
    await press(RIGHT)
    await shows(/^put/m)
    await press(' ')
    await place()
    expect(screen()).not.toContain('In doubt: sent again')
    await press('live')
    await press(ENTER)
    await showsLater(/^IN DOUBT svc order journal \(basket of 2 orders\)/m)
    await shows(/^>\*.* BUY 1 .* BUY 1 /m)
    expect(fits(screen())).toBe(true)
    expect(await ledger()).toHaveLength(2)
    await place()
    expect(screen()).toContain('In doubt: sent again as it was, under its key')
    await press('live')
    await press(ENTER)
    await showsLater(/LIVE orders \S+, \S+ are placed\./)
    expect(await ledger()).toHaveLength(2)
    await expect.poll(screen).not.toContain('IN DOUBT svc')
  })

  test('t sends nothing at prices that are old', async () => {
    const { desk, leg, press, shows } = await opened()
    await press(' ')
    await shows(/^>\*.* BUY 1 /m)
    const symbol = leg()
    await desk.lose()
    vi.setSystemTime(Date.now() + 31_000)
    await press('t')
    await shows(new RegExp(`The price of NFO:${symbol} is 3\\ds old: wait for a new one\\.`))
    await press('x')
  })

  test('a wide terminal shows the payoff beside the strikes, with live prices', async () => {
    const { desk, press, shows, screen, leg } = await opened({ width: 120, height: 33 })
    const call = leg()
    await press(' ')
    await shows(/│ Payoff at expiry \w+, before costs/)
    await shows(/│ .*┤.*[\u2801-\u28ff]/)
    expect(screen()).toMatch(/│ ┊ price now {2}◆ break-even {2}┄ zero/)
    expect(fits(screen(), { width: 120, height: 33 })).toBe(true)
    await press(' ')
    await shows(/│ Max loss +unlimited/)
    trade(desk, ['NFO', call], 777.25)
    await shows(/│ SELL 1×\d+ [\d,]+ CE 776\.25 bid/)
    await press('x')
    await expect.poll(screen).not.toContain('Payoff')
  })

  test('marks of different expiries have no payoff, and stay when the chain is opened again', async () => {
    const { press, shows } = await opened({ width: 120, height: 33 })
    await press(' ')
    await shows('Payoff at expiry')
    await press(TAB)
    await shows(/call NIFTY\S+CE ATM/)
    await press(' ')
    await shows(/│ No payoff: the legs have different/)
    await press(ESC)
    await shows('1 symbol')
    await press('e')
    await shows(/│ No payoff: the legs have different/)
    await press('x')
  })

  test('a symbol without options says so', async () => {
    const desk = await marketDesk()
    const { press, shows } = await marketScreen(desk, { list: ['NSE:INFY'] })
    await shows(/INFY +[\d,]+\.\d\d/)
    await press('e')
    await shows('NSE:INFY has no options on NFO.')
    for (const key of [ENTER, TAB, DOWN, 'n']) await press(key)
    await press('q')
    await shows('1 symbol')
  })

  test('without a connection it says so', async () => {
    const desk = await marketDesk()
    const { press, shows } = await marketScreen(desk, { list: ['NSE_INDEX:NIFTY'] })
    await shows(/NIFTY +[\d,]+\.\d\d/)
    await desk.lose()
    await press('e')
    await shows('The option chain cannot be read now.')
  })
})
