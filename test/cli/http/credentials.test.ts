import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { withoutSecrets } from '../../../src/cli/framework/secret-arguments.js'
import { keepSecret } from '../../../src/cli/io/home.js'
import { tempDir, tempFile } from '../../support/temp.js'
import { KEPT_KEY, KEPT_SESSION, signedIn } from '../support/desk.js'
import { FakeDaemon } from '../support/fake-daemon.js'
import { Terminal } from '../support/terminal.js'

const SVC = join(import.meta.dirname, '../../../bin/svc')
const keyOf = (daemon: FakeDaemon) => daemon.last('POST /api/v1/positionbook').body
const bearerOf = (daemon: FakeDaemon) => daemon.last('GET /risk').headers.authorization

describe('the API key: --apikey > SVC_API_KEY > the key kept in the home', () => {
  const cases: [string, Record<string, string>, string][] = [
    ['position list', {}, KEPT_KEY],
    ['position list', { SVC_API_KEY: 'env' }, 'env'],
    ['position list --apikey flag', { SVC_API_KEY: 'env' }, 'flag'],
    ['position list', { SVC_API_KEY: '' }, KEPT_KEY],
  ]
  it.each(cases)('svc %s with %o', async (line, env, apikey) => {
    const { daemon, terminal } = await signedIn()
    await terminal.svc(line, { env: { SVC_URL: daemon.url, ...env } })
    expect(keyOf(daemon)).toEqual({ apikey })
  })

  it('none is exit 3 and says how to get one', async () => {
    const daemon = await FakeDaemon.start()
    const ran = await new Terminal({ env: { SVC_URL: daemon.url } }).svc('position list')
    expect(ran.exit).toBe(3)
    expect(ran.stderr).toContain('svc setup')
  })
})

describe('the API key from a file', () => {
  const fileOf = (content: string) => {
    const file = tempFile('apikey')
    writeFileSync(file, content)
    return file
  }

  it('wins over SVC_API_KEY and the kept key; the end of its line does not count', async () => {
    const { daemon, terminal } = await signedIn()
    const env = { SVC_URL: daemon.url, SVC_API_KEY: 'env' }
    await terminal.svc(`position list --apikey-file ${fileOf('from-file\n')}`, { env })
    expect(keyOf(daemon)).toEqual({ apikey: 'from-file' })
  })

  it('is refused when it cannot be read', async () => {
    const { daemon, terminal } = await signedIn()
    expect((await terminal.svc('position list --apikey-file /nonexistent/key')).exit).toBe(2)
    expect(daemon.received).toEqual([])
  })

  it.each([
    ['is empty', ' \n', ''],
    ['holds more than a key', 'one two', ''],
    ['stands beside a key', 'key', ' --apikey key'],
  ])('is refused when it %s', async (_name, content, options) => {
    const { daemon, terminal } = await signedIn()
    expect((await terminal.svc(`position list --apikey-file ${fileOf(content)}${options}`)).exit).toBe(2)
    expect(daemon.received).toEqual([])
  })
})

describe('a secret among the arguments', () => {
  it.each([
    [
      ['position', 'list', '--apikey', 'k3y', '--json'],
      ['position', 'list', '--apikey', '…', '--json'],
    ],
    [
      ['--apikey=k3y', 'fund', 'list'],
      ['--apikey=…', 'fund', 'list'],
    ],
    [
      ['login', '--totp', '123456'],
      ['login', '--totp', '…'],
    ],
    [
      ['login', '--totp=123456'],
      ['login', '--totp=…'],
    ],
    [['position', 'list', '--apikey'], undefined],
    [['position', 'list', '--apikey-file', 'key'], undefined],
  ])('%j is shown as %j', (argv, shown) => {
    expect(withoutSecrets(argv)).toEqual(shown)
  })

  it.runIf(existsSync('/proc/self/cmdline'))(
    'is not in the list of processes while a command runs',
    async () => {
      const daemon = await FakeDaemon.start()
      daemon.on('POST /api/v1/positionbook', 'hang')
      const words = ['position', 'list', '--url', daemon.url, '--apikey', 'k3y-of-the-owner']
      const env = { ...process.env, SVC_DEV: '1', HOME: tempDir() }
      const child = spawn(process.execPath, [SVC, ...words], { env, stdio: 'ignore' })
      onTestFinished(() => {
        child.kill('SIGKILL')
      })
      await vi.waitFor(() => keyOf(daemon), { timeout: 20_000, interval: 20 })
      expect(keyOf(daemon)).toEqual({ apikey: 'k3y-of-the-owner' })
      const line = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')
      expect(line).toContain('--apikey')
      expect(line).not.toContain('k3y')
    },
  )
})

describe('the session: SVC_TOKEN > the session kept by svc login', () => {
  it.each([
    [{}, `Bearer ${KEPT_SESSION}`],
    [{ SVC_TOKEN: 'svc_pat_x' }, 'Bearer svc_pat_x'],
  ])('with %o', async (env, bearer) => {
    const { daemon, terminal } = await signedIn()
    await terminal.svc('risk show', { env: { SVC_URL: daemon.url, ...env } })
    expect(bearerOf(daemon)).toBe(bearer)
  })

  it('none is exit 3 and says how to sign in', async () => {
    const daemon = await FakeDaemon.start()
    const ran = await new Terminal({ env: { SVC_URL: daemon.url } }).svc('risk show')
    expect(ran.exit).toBe(3)
    expect(ran.stderr).toContain('svc login')
  })
})

describe('the daemon: --url > SVC_URL > daemon.json of the home', () => {
  it('takes the first there is', async () => {
    const [a, b, c] = [await FakeDaemon.start(), await FakeDaemon.start(), await FakeDaemon.start()]
    const { terminal } = await signedIn()
    writeFileSync(join(terminal.home, 'daemon.json'), JSON.stringify({ pid: process.pid, url: c.url }))
    await terminal.svc(`position list --url ${a.url}`, { env: { SVC_URL: b.url } })
    await terminal.svc('position list', { env: { SVC_URL: b.url } })
    await terminal.svc('position list', { env: { SVC_URL: '' } })
    expect([a, b, c].map((daemon) => daemon.received.length)).toEqual([1, 1, 1])
  })

  it('a home by --home, SVC_HOME or XDG_DATA_HOME', async () => {
    const daemon = await FakeDaemon.start()
    const base = new Terminal().home
    const home = join(base, 'svc')
    keepSecret(home, 'apikey.json', {
      value: 'k',
      url: daemon.url,
      username: undefined,
      expiresAt: undefined,
    })
    const terminal = new Terminal()
    const SVC_URL = daemon.url
    for (const [line, env] of [
      [`position list --home ${home}`, { SVC_URL }],
      ['position list', { SVC_URL, SVC_HOME: home }],
      ['position list', { SVC_URL, SVC_HOME: '', XDG_DATA_HOME: base }],
    ] as const) {
      expect([line, (await terminal.svc(line, { env })).exit]).toEqual([line, 0])
    }
  })
})

describe('kept secrets', () => {
  it('setup keeps the key and login the session, readable by the owner only', async () => {
    const daemon = await FakeDaemon.start()
    const terminal = new Terminal({ env: { SVC_URL: daemon.url }, stdin: 'Secret#123\n' })
    await terminal.svc('setup --username alice --email a@b.c --password-stdin')
    daemon.on('GET /auth/check-setup', { body: { needs_setup: false } })
    await terminal.svc('login --username alice --password-stdin')
    expect(daemon.last('POST /setup').body).toEqual({
      username: 'alice',
      email: 'a@b.c',
      password: 'Secret#123',
    })
    expect(daemon.last('POST /auth/login').body).toEqual({ username: 'alice', password: 'Secret#123' })
    expect(statSync(terminal.home).mode & 0o777).toBe(0o700)
    for (const [name, value] of [
      ['apikey.json', 'k'.repeat(64)],
      ['session.json', 'session-token-value'],
    ] as const) {
      const file = join(terminal.home, name)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
        value,
        url: daemon.url,
        username: 'alice',
      })
    }
  })

  it('login before there is a user asks nothing and names svc setup', async () => {
    const daemon = await FakeDaemon.start()
    const terminal = new Terminal({ env: { SVC_URL: daemon.url }, tty: true })
    const { exit, stderr } = await terminal.svc('login --no-color')
    expect([exit, stderr]).toEqual([5, 'error: There is no user yet. Create the first one: svc setup\n'])
    expect(daemon.received.map(({ path }) => path)).toEqual(['/auth/check-setup'])
  })

  it('go to no other host than the one they came from', async () => {
    const { terminal } = await signedIn()
    const ran = await terminal.svc('position list --url http://desk.example.com:5000')
    expect(ran.exit).toBe(3)
    expect(ran.stderr).toContain('No API key for http://desk.example.com:5000')
    expect((await terminal.svc('risk show --url https://desk.example.com')).exit).toBe(3)
  })

  it('logout forgets the session even when the daemon is gone', async () => {
    const { daemon, terminal } = await signedIn()
    await daemon.stop()
    expect((await terminal.svc('logout')).exit).toBe(7)
    expect(await terminal.svc('logout')).toMatchObject({ exit: 0, stderr: 'Not signed in: nothing to do.\n' })
  })
})

describe('secrets are not shown', () => {
  const lines = [
    'status --verbose',
    'whoami --json',
    'apikey show',
    'apikey show --json',
    'apikey show --save',
    'doctor',
    'doctor --json',
    'token list --json',
    'session list --json',
    'login --username alice --password-stdin --json',
    'order place SBIN NSE BUY 10 --verbose',
    'position list --verbose --apikey flag-secret',
    'approval approve 42 --verbose',
    'risk set nonsense=1 --verbose',
  ]
  it.each(lines)('svc %s', async (line) => {
    const { daemon, terminal } = await signedIn({ stdin: 'Secret#123' })
    daemon.on('PUT /risk', { status: 400, code: 'validation', body: { message: 'rule: Unknown field.' } })
    daemon.on('POST /api/v1/positionbook', {
      status: 403,
      code: 'invalid_key',
      body: { message: 'Invalid svc apikey' },
    })
    const { stdout, stderr } = await terminal.svc(line)
    for (const secret of [
      KEPT_KEY,
      KEPT_SESSION,
      'Secret#123',
      'flag-secret',
      'a'.repeat(64),
      'session-token-value',
    ]) {
      expect(stdout + stderr).not.toContain(secret)
    }
  })

  it('apikey show --reveal shows it, for those who ask', async () => {
    const { terminal } = await signedIn()
    expect((await terminal.svc('apikey show --reveal -q')).stdout).toBe(`${'a'.repeat(64)}\n`)
    expect((await terminal.svc('apikey show -q')).stdout).toBe('aaaa…aaaa\n')
  })

  it('no example of the help passes a secret', async () => {
    const { terminal } = await signedIn()
    for (const noun of ['setup', 'login', 'token', 'apikey', 'broker login']) {
      expect((await terminal.svc(`help ${noun}`)).stdout).not.toMatch(/--(apikey|password|token) \w/)
    }
  })
})
