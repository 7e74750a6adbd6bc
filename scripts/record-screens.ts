import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberOf, SCREENS } from '../src/tui/shell/screens.js'
import type { ScreenId } from '../src/views/screens.js'
import { eventually } from '../test/support/eventually.js'
import { buildWhenStale } from '../test/support/process/build.js'
import { DaemonProcess } from '../test/support/process/daemon-process.js'
import { Tmux } from '../test/support/tmux.js'
import { withCaptures } from './docs/captures.js'
import { ROOT } from './docs/documents.js'
import { tradingDay } from './docs/trading-day.js'

/*
 * `npx tsx scripts/record-screens.ts`: shows each screen of the terminal program in a real terminal over a real daemon
 * with some orders, and writes what is on it into docs/tui.md and README.md.
 */
const PAGES = ['docs/tui.md', 'README.md']
const SIZE = { columns: 100, rows: 24 }
/** The content that a screen has when everything on it is read. */
const WHOLE: Readonly<Record<ScreenId, RegExp>> = {
  cockpit: /Since the first trade +\S[\s\S]*3 orders, ₹[\s\S]*0 of 3/,
  approvals: /DRIFT % +[+-]?\d\.\d\d[\s\S]*checks: pass/,
  orders: /S0000\d+ +RELIANCE/,
  positions: /P&L ₹ +\S[\s\S]*Drawdown ₹ +\S/,
  flows: /3 workflows/,
  strategies: /has never run/,
  market: /NSE_INDEX:NIFTY +[\d,.]+/,
  security: /scanned for passwords/,
  logs: /\[orders\] +analyzer[\s\S]*placeorder/,
  system: /INSTRUMENTS +[\d,]+ ready/,
}

await buildWhenStale()
const home = mkdtempSync(join(tmpdir(), 'svc-screens-'))
const daemon = new DaemonProcess({ home })
try {
  await daemon.start()
  await daemon.signUp()
  await tradingDay(daemon)
  const captures = await capturesOf(daemon)
  for (const page of PAGES) {
    const path = join(ROOT, page)
    writeFileSync(path, withCaptures(readFileSync(path, 'utf8'), captures))
  }
} finally {
  await daemon.dispose()
}

/** The terminal has the clock of this script: before 09:15 the charts of the day are empty, and faketime helps. */
function shiftedClock(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => /^(?:LD_PRELOAD|FAKETIME.*)$/.test(name))
  return Object.fromEntries(own.map(([name, value = '']) => [name, value]))
}

async function capturesOf({ home, url, token, apikey }: DaemonProcess): Promise<ReadonlyMap<string, string>> {
  const env = {
    HOME: home,
    SVC_HOME: home,
    SVC_URL: url,
    SVC_TOKEN: token,
    SVC_API_KEY: apikey,
    NO_COLOR: '1',
    ...shiftedClock(),
  }
  const tmux = await Tmux.started(env, SIZE)
  try {
    await tmux.svc('tui')
    await tmux.shows('connected')
    // The price feed begins with the first screen that shows prices.
    await tmux.key('6')
    await tmux.shows(/ feed \d+s /)
    const captures = new Map<string, string>()
    // The chart of the first screen takes a while: it comes last.
    for (const screen of [...SCREENS.slice(1), ...SCREENS.slice(0, 1)]) {
      await tmux.key(numberOf(screen))
      const isWhole = async () => WHOLE[screen.id].test(await tmux.screen())
      await eventually(isWhole, `the screen ${screen.id} is whole`)
      captures.set(screen.id, await tmux.settled())
    }
    await tmux.key('6')
    await tmux.key('Enter')
    await tmux.shows(/BUY +PRICE │ PRICE +SELL[\s\S]*[\u2801-\u28ff]{8}/)
    captures.set('symbol', await tmux.settled())
    await tmux.key('p')
    await tmux.shows(/MY BUYS[\s\S]*\n>\*[\s\S]*b buys, s sells/)
    captures.set('ladder', await tmux.settled())
    await tmux.key('Escape')
    await tmux.key('Escape')
    await tmux.key('G')
    await tmux.key('e')
    await tmux.shows(/STRIKE[\s\S]*\n>\*/)
    captures.set('chain', await tmux.settled())
    // A sold straddle: its payoff has two break-evens.
    for (const key of ['Space', 'Space', 'Right', 'Space', 'Space']) await tmux.key(key)
    await tmux.shows(/Payoff at expiry[\s\S]*[\u2801-\u28ff][\s\S]*Max loss +unlimited/)
    captures.set('payoff', await tmux.settled())
    return captures
  } finally {
    await tmux.close()
  }
}
