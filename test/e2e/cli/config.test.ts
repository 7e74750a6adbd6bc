import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDir } from '../../support/files/temp.js'
import { DaemonProcess } from '../../support/process/daemon-process.js'
import { Terminal } from '../../support/terminal.js'

interface Setting {
  key: string
  value: string | null
  origin: string
  problem: string | null
}

const fresh = () => new Terminal({ home: join(tempDir(), 'home') })
const fileOf = (terminal: Terminal) => join(terminal.home, 'config.env')
const keep = async (terminal: Terminal, line: string | readonly string[]) => {
  const { exit, stderr } = await terminal.svc(line)
  expect({ line, exit, stderr }).toMatchObject({ exit: 0 })
}

describe('svc config list and get', () => {
  it('show where each value comes from, without writing anything', async () => {
    const terminal = new Terminal({ home: join(tempDir(), 'home'), env: { LOG_LEVEL: 'WARNING' } })
    const rows = await terminal.json<Setting[]>('config list')
    const named = (name: string) => rows.find(({ key }) => key === name)
    expect(named('LOG_LEVEL')).toMatchObject({ value: 'WARNING', origin: 'environment', restart: true })
    expect(named('SVC_PORT')).toMatchObject({ value: '5000', origin: 'default' })
    expect(named('TELEGRAM_CHATS')).toMatchObject({ value: null, origin: 'default' })
    expect(existsSync(terminal.home)).toBe(false)
    const { stdout } = await terminal.svc('config list --show-origin -o table --no-color')
    expect(stdout).toMatch(/^KEY +VALUE +ORIGIN/)
    expect(stdout).toMatch(/^LOG_LEVEL +WARNING +environment/m)
  })

  it('never show a secret, in any format', async () => {
    const daemon = await DaemonProcess.ready()
    onTestFinished(() => daemon.dispose())
    const terminal = new Terminal({ home: daemon.home })
    const secrets = [...readFileSync(fileOf(terminal), 'utf8').matchAll(/^\w+=([0-9a-f]{32,})$/gm)]
    expect(secrets).toHaveLength(3)
    for (const line of [
      'config list -o wide',
      'config list --json',
      'config get APP_KEY',
      'config get APP_KEY -q',
    ]) {
      const { exit, stdout, stderr } = await terminal.svc(line)
      expect(exit).toBe(0)
      for (const [, secret = ''] of secrets) expect(stdout + stderr).not.toContain(secret.slice(0, 8))
    }
    expect(await terminal.json('config get APP_KEY')).toMatchObject({
      value: '********',
      origin: 'config.env',
    })
  })

  it('complete the names of the settings in a shell', async () => {
    const { stdout } = await fresh().svc(['__complete', '--', 'config', 'set', 'LOG_LEV'])
    expect(stdout).toBe('LOG_LEVEL\tThe lowest severity that is logged.\n')
  })

  it('name the nearest key, and warn about a value with which no daemon starts', async () => {
    const typo = await fresh().svc('config get LOG_LEVL')
    expect([typo.exit, typo.stderr]).toEqual([2, expect.stringContaining('did you mean LOG_LEVEL?')])
    const terminal = fresh()
    await keep(terminal, 'config set LOG_LEVEL DEBUG')
    writeFileSync(fileOf(terminal), 'SVC_PORT=x\n')
    expect((await terminal.svc('config list')).stderr).toContain(
      'SVC_PORT (config.env): must be a whole number from 0 to 65535. A daemon would not start.',
    )
  })
})

describe('svc config set', () => {
  it('writes config.env with mode 0600 and keeps every other line', async () => {
    const terminal = fresh()
    await keep(terminal, 'config set LOG_LEVEL DEBUG')
    writeFileSync(fileOf(terminal), `# mine\nLOG_LEVEL=DEBUG\nexport SVC_PORT=5001\n`)
    await keep(terminal, ['config', 'set', 'ORDER_RATE_LIMIT=20 per second;200 per minute', 'SVC_PORT=5002'])
    await keep(terminal, ['config', 'set', 'SIM_FAULTS=[{"on":["place"],"kind":"fail","message":"# no"}]'])
    expect(readFileSync(fileOf(terminal), 'utf8')).toBe(
      [
        '# mine',
        'LOG_LEVEL=DEBUG',
        'ORDER_RATE_LIMIT=20 per second;200 per minute',
        'SVC_PORT=5002',
        `SIM_FAULTS='[{"on":["place"],"kind":"fail","message":"# no"}]'`,
        '',
      ].join('\n'),
    )
    expect(statSync(fileOf(terminal)).mode & 0o777).toBe(0o600)
    await keep(terminal, 'config set SIM_FAULTS= LOG_LEVEL=')
    expect(await terminal.json('config get LOG_LEVEL')).toMatchObject({ value: 'INFO', origin: 'default' })
    expect(readFileSync(fileOf(terminal), 'utf8')).not.toMatch(/SIM_FAULTS|LOG_LEVEL/)
  })

  it('checks all values before it stores one', async () => {
    const terminal = fresh()
    const bad = await terminal.svc('config set LOG_LEVEL=DEBUG SVC_PORT=70000')
    expect([bad.exit, bad.stderr]).toEqual([
      2,
      expect.stringContaining('SVC_PORT must be a whole number from 0 to 65535'),
    ])
    expect((await terminal.svc('config set LOG_LEVL=DEBUG')).stderr).toContain('did you mean LOG_LEVEL?')
    expect(existsSync(fileOf(terminal))).toBe(false)
  })

  it('takes a secret from stdin or the terminal only, and never prints it', async () => {
    const terminal = fresh()
    const token = '123456789:abcdefghijklmnopqrstuvwxyz'
    const shown = await terminal.svc(['config', 'set', `TELEGRAM_BOT_TOKEN=${token}`])
    expect([shown.exit, shown.stderr]).toEqual([
      2,
      expect.stringContaining('config set TELEGRAM_BOT_TOKEN --stdin'),
    ])
    const piped = await terminal.svc('config set TELEGRAM_BOT_TOKEN --stdin', { stdin: `${token}\n` })
    expect(piped.exit).toBe(0)
    expect(piped.stdout + piped.stderr).not.toContain(token)
    expect(readFileSync(fileOf(terminal), 'utf8')).toContain(token)
    await keep(terminal, 'config set TELEGRAM_BOT_TOKEN=')
    const typed = await terminal.svc('config set TELEGRAM_BOT_TOKEN', { tty: 'all', stdin: `${token}\n` })
    expect(typed.exit).toBe(0)
    expect(readFileSync(fileOf(terminal), 'utf8')).toContain(token)
  })

  it('a daemon takes the value at its next start; the keys of its data cannot be changed', async () => {
    const daemon = await DaemonProcess.ready()
    onTestFinished(() => daemon.dispose())
    const terminal = new Terminal({ home: daemon.home, env: { SESSION_COOKIE_NAME: 'other' } })
    const { exit, stderr } = await terminal.svc('config set SESSION_COOKIE_NAME=desk')
    expect(exit).toBe(0)
    expect(stderr).toContain('Restart it: svc down, then svc up --detach')
    expect(stderr).toContain('SESSION_COOKIE_NAME is also set in the environment')
    const key = await terminal.svc('config set APP_KEY --stdin', {
      stdin: '5d0c1f7ab2e94c3386fd20a1b97e4c55',
    })
    expect([key.exit, key.stderr]).toEqual([2, expect.stringContaining('was created with it')])
    await daemon.crash()
    const login = await daemon.request('POST', '/auth/login', { username: 'asha', password: 'Passw0rd!' })
    expect(login.headers.get('set-cookie')).toContain('desk=')
  })
})
