import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberOf, SCREENS } from '../src/tui/shell/screens.js'
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
const SIZE = { columns: 100, rows: 18 }

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

async function capturesOf({ home, url, token, apikey }: DaemonProcess): Promise<ReadonlyMap<string, string>> {
  const env = {
    HOME: home,
    SVC_HOME: home,
    SVC_URL: url,
    SVC_TOKEN: token,
    SVC_API_KEY: apikey,
    NO_COLOR: '1',
  }
  const tmux = await Tmux.started(env, SIZE)
  try {
    await tmux.svc('tui')
    await tmux.shows('connected')
    // The price feed begins with the first screen that shows prices.
    await tmux.key('6')
    await tmux.shows(/ feed \d+s /)
    const captures = new Map<string, string>()
    for (const screen of SCREENS) {
      await tmux.key(numberOf(screen))
      await tmux.shows(/^(?!.*reading …)/is)
      captures.set(screen.id, await tmux.settled())
    }
    return captures
  } finally {
    await tmux.close()
  }
}
