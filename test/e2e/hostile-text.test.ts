import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signedIn } from '../support/desk/command-desk.js'
import { queueOne } from '../support/desk/desk-state.js'
import { eventually } from '../support/eventually.js'
import { filesBelow, query } from '../support/files/files.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import type { Terminal } from '../support/terminal.js'

/* Text of strangers that tries to control a terminal or to forge a line, through the real process and the built program. */

const MARK = 'forged'
/** Clears the screen, retitles the window, begins a line, and writes from right to left. */
const HOSTILE = `${MARK}\u001b[2J\u001b]0;owned\u0007\r\n{"level":"error"}\u009b31m\u202e`
/** A header cannot have a C0 control; it can have the one-byte CSI. */
const HOSTILE_AGENT = `${MARK}\u009b31m\u0085curl`
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the output must not have
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/

let daemon: DaemonProcess
let terminal: Terminal
beforeAll(async () => {
  daemon = await DaemonProcess.ready({ LOG_TO_FILE: 'true', LOG_LEVEL: 'DEBUG' })
  terminal = signedIn(daemon, daemon.url)
  const agent = { 'user-agent': HOSTILE_AGENT }
  await daemon.request('POST', '/auth/login', { username: 'asha', password: 'Passw0rd!' }, agent)
  await daemon.request('POST', '/auth/login', { username: HOSTILE, password: 'no' }, agent)
  await daemon.request('POST', '/flow/api/workflows', { name: HOSTILE, nodes: [], edges: [] })
  await daemon.request('GET', `/${encodeURIComponent(HOSTILE)}`, undefined, agent)
  await daemon.place({ strategy: HOSTILE })
  await daemon.place({ symbol: HOSTILE })
  await daemon.orderMode('semi_auto')
  const id = await queueOne(daemon, { strategy: HOSTILE })
  await daemon.request('POST', `/action-center/reject/${id}`, { reason: HOSTILE })
  await daemon.orderMode('auto')
})
afterAll(() => daemon.dispose())

describe('hostile text', () => {
  it.each([
    'login-activity -o wide',
    'session list -o wide',
    'flow list',
    'approval list --status all -o wide',
    'approval list --status all --json',
    'login-activity -o csv',
    'log orders -o wide',
  ])('in svc %s controls no terminal', async (line) => {
    const words = line.split(' ')
    const piped = await terminal.svc(words)
    const drawn = await terminal.svc(words, { tty: 'stdout', env: { NO_COLOR: '1', COLUMNS: '400' } })
    for (const { exit, stdout, stderr } of [piped, drawn]) {
      expect([exit, stderr]).toEqual([0, ''])
      expect(stdout).toContain(MARK)
      expect(CONTROLS.exec(stdout.replaceAll('\r\n', '\n'))).toBeNull()
      expect(stdout).not.toMatch(/^\{"level":"error"\}/m)
    }
  })

  it('forges no line of the log', async () => {
    const logs = filesBelow(join(daemon.home, 'log')).map((file) => readFileSync(file, 'utf8'))
    for (const text of [daemon.output, ...logs]) {
      expect(CONTROLS.exec(text)).toBeNull()
      for (const line of text.split('\n').filter((one) => one.startsWith('{'))) {
        expect(JSON.parse(line)).toHaveProperty('event')
      }
    }
  })

  it('is stored as it was sent', async () => {
    const attempts = () =>
      query<{ username: string }>(join(daemon.home, 'svc.db'), 'select username from login_attempts')
    await eventually(async () => (await attempts()).some(({ username }) => username.startsWith(MARK)))
  })
})
