import { onTestFinished } from 'vitest'
import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { SvcClient } from '../../../src/client/index.js'
import { security } from '../../../src/tui/security/screen.js'
import { Gateway } from '../../support/traffic/gateway.js'
import { liveDesk } from '../support/live-desk.js'
import { shown, TAB } from '../support/shown.js'

/** An address of which nothing is known. */
export const STRANGER = '198.51.100.9'

const TABS = ['bans', 'suspects', 'sessions', 'sign-ins', 'settings']

/** The security screen over a whole daemon, which stands behind a proxy. */
export async function openSecurity({ width = 80, height = 21 } = {}) {
  const daemon = await liveDesk({ env: { TRUST_PROXY_HEADERS: 'true' } })
  const { url } = daemon
  /** Sends a request from an address. */
  const from = (address: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, { headers: { 'x-real-ip': address, ...headers } })
  const open = async (tab = 'bans', access = daemon.access) => {
    const app = await shown(access, <security.View width={width} height={height} />)
    await app.shows('[bans]')
    for (let at = 0; at < TABS.indexOf(tab); at += 1) await app.press(TAB)
    await app.shows(`[${tab}]`)
    return app
  }
  /** Returns the access from an address. */
  const accessAs = async (address: string): Promise<DaemonAccess> => {
    const gateway = await Gateway.before(() => url)
    onTestFinished(() => gateway.close())
    gateway.client = address
    const { token } = daemon
    return { client: (timeoutMs) => new SvcClient({ url: gateway.url, token, timeoutMs }) }
  }
  const bans = async () => (await daemon.client.request('GET /security/api/data', {})).banned_ips
  const settings = async () => (await daemon.client.request('GET /security/api/data', {})).security_settings
  return { ...daemon, from, open, accessAs, bans, settings }
}
