import { system } from '../../../src/tui/system/screen.js'
import type { DeskOptions } from '../../support/desk/desk.js'
import { liveDesk } from '../support/live-desk.js'
import { shown, TAB } from '../support/shown.js'

const TABS = ['overview', 'diagnostics', 'health', 'freeze', 'holidays', 'hours', 'risk']

/** The process is that of many tests, so its memory is no sign of anything. */
const LARGE_PROCESS = { HEALTH_MEMORY_WARNING_THRESHOLD: '1000000' }

/** Empties a field. */
export const CLEAR = '\u0015'

/** The system screen over a whole daemon. */
export async function openSystem({
  width = 80,
  height = 21,
  ...options
}: DeskOptions & { width?: number; height?: number } = {}) {
  const daemon = await liveDesk({ ...options, env: { ...LARGE_PROCESS, ...options.env } })
  const open = async (tab = 'overview', access = daemon.access) => {
    const app = await shown(access, <system.View width={width} height={height} />)
    await app.shows('[overview]')
    for (let at = 0; at < TABS.indexOf(tab); at += 1) await app.press(TAB)
    await app.shows(`[${tab}]`)
    return app
  }
  const { settings } = daemon.http.desk.service
  const account = async () => (await daemon.client.request('GET /auth/whoami', {})).data
  return { ...daemon, settings, open, account }
}

/** Returns the lines of a screen that are wider than it, and the number of lines. */
export function sizeOf(screen: string) {
  const lines = screen.split('\n')
  return { lines: lines.length, widest: Math.max(...lines.map((line) => [...line].length)) }
}
