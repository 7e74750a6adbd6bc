import { keepSecret } from '../../../src/cli/io/home.js'
import { FakeDaemon } from './fake-daemon.js'
import { Terminal, type TerminalOptions } from './terminal.js'

export const KEPT_KEY = 'kept-api-key'
export const KEPT_SESSION = 'kept-session'

/** A daemon that answers, and a terminal that is signed in at it. */
export async function signedIn(
  options: TerminalOptions = {},
): Promise<{ daemon: FakeDaemon; terminal: Terminal }> {
  const daemon = await FakeDaemon.start()
  daemon.on('GET /auth/check-setup', { body: { status: 'success', needs_setup: false } })
  const { url } = daemon
  const terminal = new Terminal({ ...options, env: { SVC_URL: url, ...options.env } })
  const kept = { username: 'alice', url, expiresAt: undefined }
  keepSecret(terminal.home, 'apikey.json', { ...kept, value: KEPT_KEY })
  keepSecret(terminal.home, 'session.json', { ...kept, value: KEPT_SESSION })
  return { daemon, terminal }
}
