import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type StoredSecret, storeSecret } from '../../../src/cli/io/home.js'
import { LightDaemon } from '../../support/daemons/light-daemon.js'
import { CliDesk, type Running } from '../../support/desk/cli-desk.js'
import { tempDir } from '../../support/files/temp.js'

/* The credentials of the home: a daemon that happens to listen where the home's own one did gets none of them. */

let desk: CliDesk
let stranger: LightDaemon
const OWN = 'a'.repeat(32)
const FILES = ['session.json', 'apikey.json'] as const

beforeEach(async () => {
  desk = await CliDesk.open()
  stranger = await LightDaemon.open()
})

const svc = (line: string, { env = {}, ...rest }: Running = {}) =>
  desk.svc(line, { ...rest, env: { SVC_URL: '', SVC_CONFIG_DIR: tempDir(), ...env } })

function keep(secret: Partial<StoredSecret> = {}): void {
  for (const file of FILES) {
    const kept = { value: 'a-secret', username: 'asha', url: stranger.url, expiresAt: undefined, id: OWN }
    storeSecret(desk.home, file, { ...kept, ...secret })
  }
}

const LINES = [
  'risk show',
  'position list',
  'order place SBIN NSE BUY 1',
  'api GET /risk',
  'api GET /api/v1/ping',
  'logout',
  'event follow',
  'stream NSE:SBIN',
]

describe('a secret of the home that names its daemon', () => {
  it('is not sent to another daemon at the port of a home that is down', async () => {
    const SVC_PORT = new URL(stranger.url).port
    for (const line of LINES) {
      keep()
      const { exit, stderr } = await svc(line, { env: { SVC_PORT } })
      expect([line, exit, stderr]).toEqual([line, 3, expect.stringContaining('No credential was sent')])
    }
    expect(new Set(stranger.seen.map(({ path }) => path))).toEqual(new Set(['/health']))
  })

  it('is not sent to another daemon at a named address of this machine', async () => {
    for (const line of LINES) {
      keep({ url: 'http://127.0.0.1:9' })
      expect([line, (await svc(`${line} --url ${stranger.url}`)).exit]).toEqual([line, 3])
    }
    expect(stranger.withCredential).toEqual([])
  })

  it('of which none is known for a named address: the error says so, and stops no daemon', async () => {
    keep({ url: 'http://127.0.0.1:9' })
    const env = { SVC_URL: stranger.url, SVC_TOKEN: 'svc_token' }
    for (const line of ['position list', 'order place SBIN NSE BUY 1', 'stream NSE:SBIN']) {
      const { exit, stderr } = await svc(line, { env })
      expect([line, exit, stderr]).toEqual([
        line,
        3,
        expect.stringContaining(`No API key is known for the daemon at ${stranger.url}`),
      ])
      expect(stderr).toContain(
        `Set SVC_API_KEY, or name the daemon: svc context add NAME --url ${stranger.url}`,
      )
      expect(stderr).not.toMatch(/svc down|svc up|Another daemon/)
    }
    for (const line of ['risk show', 'event follow']) {
      const { stderr } = await svc(`${line} --url ${stranger.url}`)
      expect(stderr).toContain(`Not signed in at ${stranger.url}: the stored session is for the daemon`)
      expect(stderr).toContain('Set SVC_TOKEN')
    }
    // The key is given: only the session is for another daemon.
    const given = { SVC_URL: stranger.url, SVC_API_KEY: 'a-key' }
    const { stderr } = await svc('order place SBIN NSE BUY 1', { env: given })
    expect(stderr).toContain('Not signed in at')
  })

  it('names the context that has exactly the named address, with or without a stored secret', async () => {
    const SVC_CONFIG_DIR = tempDir()
    const contexts = { desk2: { url: stranger.url, id: stranger.id } }
    writeFileSync(
      join(SVC_CONFIG_DIR, 'contexts.json'),
      JSON.stringify({ version: 1, current: 'local', contexts }),
      { mode: 0o600 },
    )
    const env = { SVC_CONFIG_DIR, SVC_URL: stranger.url, SVC_TOKEN: 'svc_token' }
    const said = `The context desk2 has this URL: use --context desk2; or set SVC_API_KEY.`
    keep({ url: 'http://127.0.0.1:9' })
    expect((await svc('order cancel 1 --yes', { env })).stderr).toContain(said)
    for (const file of FILES) rmSync(join(desk.home, file))
    expect((await svc('order cancel 1 --yes', { env })).stderr).toContain(said)
  })

  it('is sent to a daemon that proves to be the same, wherever it is', async () => {
    stranger.answerWith('GET /risk', { status: 'success', data: {} })
    keep({ url: 'http://127.0.0.1:9', id: stranger.id })
    await svc(`risk show --json --url ${stranger.url}`)
    expect(stranger.withCredential.map(({ path }) => path)).toEqual(['/risk'])
  })
})

it('a session of a remote daemon that says no id is not sent to the daemon of the home', async () => {
  const file = join(desk.home, 'daemon.json')
  writeFileSync(file, JSON.stringify({ pid: 1, url: stranger.url, id: stranger.id }))
  keep({ url: 'https://desk.example.com', id: undefined })
  expect((await svc('risk show')).exit).toBe(3)
  expect(stranger.withCredential).toEqual([])
  rmSync(file)
})

describe('a sign-in at a named address', () => {
  const SESSION = {
    status: 'success',
    token: 'a-session',
    username: 'asha',
    expires_at: '2030-01-01T00:00:00Z',
  }

  function takesPasswords(daemon: LightDaemon): void {
    daemon.answerWith('GET /auth/check-setup', { needs_setup: false })
    daemon.answerWith('POST /auth/login', SESSION)
  }
  const signIn = (url: string) =>
    svc(`login --username asha --password-stdin --url ${url}`, { stdin: 'a-password\n' })

  it('binds its session to the daemon that answered: another one on this machine gets none of it', async () => {
    takesPasswords(stranger)
    // Also the second session, which takes the place of a stored one.
    for (const _ of [1, 2]) expect((await signIn(stranger.url)).exit).toBe(0)
    const other = await LightDaemon.open()
    const { exit, stderr } = await svc(`risk show --url ${other.url}`)
    expect([exit, stderr]).toEqual([3, expect.stringContaining('No credential was sent')])
    expect(other.withCredential).toEqual([])
  })

  it('takes the place of the API key that an earlier daemon at this address gave', async () => {
    takesPasswords(stranger)
    stranger.answerWith('GET /risk', { status: 'success', data: {} })
    keep()
    expect((await signIn(stranger.url)).exit).toBe(0)
    const before = stranger.withCredential.length
    for (const line of ['order place SBIN NSE BUY 1', 'order cancel 1', 'api POST /api/v1/cancelallorder']) {
      const { exit, stderr } = await svc(`${line} --url ${stranger.url}`)
      expect([line, exit, stderr]).toEqual([line, 3, expect.stringContaining('svc apikey show --save')])
      expect(stderr).toContain(`the daemon with the id ${OWN}`)
    }
    expect(stranger.withCredential).toHaveLength(before)
    // What takes the session alone goes on.
    expect((await svc(`risk show --json --url ${stranger.url}`)).exit).toBe(0)
    expect(stranger.seen.some(({ body }) => body.includes('a-secret'))).toBe(false)
  })
})
