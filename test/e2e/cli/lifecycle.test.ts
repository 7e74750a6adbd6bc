import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isAlive } from '../../../src/cli/io/processes.js'
import { lockFile } from '../../../src/daemon/backup/upgrade.js'
import { commandDesk } from '../../support/desk/command-desk.js'
import { eventually } from '../../support/eventually.js'
import { tempDir } from '../../support/files/temp.js'
import { DaemonProcess } from '../../support/process/daemon-process.js'
import { Terminal } from '../../support/terminal.js'
import { freeUrl } from '../../support/traffic/gateway.js'

const desk = commandDesk()
/** Returns a terminal in the daemon's own home. */
const atHome = () => new Terminal({ home: desk.daemon.home })
const elsewhere = (home = join(tempDir(), 'home')) => new Terminal({ home })

/** Returns a home whose daemon.json has this process and address. */
function homeOf(pid: number, url: string): Terminal {
  const terminal = elsewhere()
  mkdirSync(terminal.home, { recursive: true })
  const facts = { pid, url, ws_url: 'ws://x/events', version: '0.1.0' }
  writeFileSync(join(terminal.home, 'daemon.json'), JSON.stringify(facts))
  return terminal
}

/** Starts a process that is unrelated to svc. */
const stranger = () => running('sleep', ['60'])

/** Starts a process that looks like a daemon. */
const silent = () => running(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)', 'svc', 'up'])

function running(command: string, args: readonly string[]): number {
  const child = spawn(command, args)
  onTestFinished(() => void child.kill('SIGKILL'))
  return child.pid ?? 0
}

describe('svc up', () => {
  it('--detach in a home with a running daemon only prints its address', async () => {
    const { exit, stdout } = await atHome().svc('up --detach')
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${desk.daemon.url}\n` })
  })

  it('--detach refuses another port than that of the running daemon', async () => {
    const { url, pid } = desk.daemon
    const { exit, stderr } = await atHome().svc('up --detach --port 1')
    expect(exit).toBe(1)
    expect(stderr).toContain(`already runs at ${url} (pid ${pid}). Stop it: svc down`)
    expect((await atHome().svc(`up --detach --port ${new URL(url).port}`)).exit).toBe(0)
  })

  it('in the foreground refuses a second daemon', async () => {
    const { url, pid } = desk.daemon
    const { exit, stderr } = await atHome().svc('up')
    expect(exit).toBe(1)
    expect(stderr).toContain(`already runs at ${url} (pid ${pid}). Stop it: svc down`)
  })

  it.runIf(existsSync('/proc/self')).each(['up', 'up --detach'])(
    '%s refuses a home that cannot be made, at once',
    async (line) => {
      const { exit, stderr } = await elsewhere('/proc/nowhere/home').svc(line)
      expect(exit).toBe(1)
      expect(stderr).toContain('The home /proc/nowhere/home cannot be created: ENOENT')
      expect(stderr).toContain('Choose another: --home, or SVC_HOME.')
    },
  )

  it('--detach starts the daemon that --context local names, whatever the environment names', async () => {
    const env = { SVC_URL: 'https://desk.example.com', SVC_CONTEXT: 'prod' }
    const terminal = elsewhere()
    const up = await terminal.svc('up --detach --context local --port 0 --ws-port 0', { env })
    expect([up.exit, up.stdout], up.stderr).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:/)])
    expect((await terminal.svc('down')).exit).toBe(0)
  })

  it('is wrong usage with an invalid port', async () => {
    for (const line of ['up --port http', 'up --port 70000', 'up --ws-port -1'])
      expect([line, (await elsewhere().svc(line)).exit]).toEqual([line, 2])
  })

  it.each([
    ['', 'error: The configuration cannot be used:\n  SIM_FAULTS: rule 1, kind: must be one of'],
    [
      ' --detach',
      'error: The daemon did not start: the process ended with 1. error: The configuration cannot be used:\n  SIM_FAULTS: ',
    ],
  ])('says in lines what is wrong with the configuration: up%s', async (how, says) => {
    const { exit, stderr } = await elsewhere().svc(`up --port 0 --ws-port 0${how}`, {
      env: { NO_COLOR: '1', SIM_FAULTS: '[{"kind":"x"}]' },
    })
    expect([exit, stderr]).toEqual([1, expect.stringContaining(says)])
    expect(stderr).not.toContain('u000a')
  })
})

describe('a broker that is slow to sign in, or refuses', () => {
  const atSignIn = (fault: object) => ({
    env: { NO_COLOR: '1', SIM_FAULTS: JSON.stringify([{ on: ['login'], times: 1, ...fault }]) },
  })

  it('up --detach waits for it and says so; --timeout ends the wait', async () => {
    const terminal = elsewhere()
    const slow = atSignIn({ kind: 'delay', latencyMs: 7000 })
    const line = 'up --port 0 --ws-port 0 --detach'
    const hasty = elsewhere()
    const given = await hasty.svc(`${line} --timeout 500ms`, atSignIn({ kind: 'delay', latencyMs: 3000 }))
    expect([given.exit, given.stderr]).toEqual([1, expect.stringContaining('The daemon is not ready yet.')])
    const { exit, stdout, stderr } = await terminal.svc(line, slow)
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\n$/)])
    expect(stderr).toMatch(/Waiting for the daemon since \d+ s: .+\. Ctrl-C stops it\./)
    expect((await terminal.svc('down')).exit).toBe(0)
    await eventually(async () => (await hasty.svc('status')).exit === 0, 'the daemon has started since')
    expect((await hasty.svc('down')).exit).toBe(0)
  })

  it.each(['', ' --detach'])('up%s ends with its words when it refuses', async (how) => {
    const refuses = atSignIn({ kind: 'fail', httpStatus: 503, message: 'The exchange is closed' })
    const { exit, stderr } = await elsewhere().svc(`up --port 0 --ws-port 0${how}`, refuses)
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/error: .*The exchange is closed/)])
  })
})

describe.runIf(existsSync('/proc/self'))('a daemon that is starting', () => {
  /** Starts a daemon whose broker keeps it waiting, and returns once it has the home. */
  async function starting() {
    // Nothing answers at the port of the home.
    const { port } = new URL(await freeUrl())
    const terminal = new Terminal({ home: join(tempDir(), 'home'), env: { SVC_PORT: port } })
    const slow = { SIM_FAULTS: JSON.stringify([{ on: ['login'], kind: 'delay', latencyMs: 600_000 }]) }
    const { ended, pid } = terminal.start('up --port 0 --ws-port 0', { env: slow })
    await eventually(async () => (await terminal.svc('status')).stdout.includes('starting'), 'it starts')
    return { ended, pid, terminal }
  }

  it('is shown by svc status and svc doctor, and stopped by svc down', async () => {
    const { ended, pid, terminal } = await starting()
    const status = await terminal.svc('status --json')
    expect([status.exit, JSON.parse(status.stdout)]).toMatchObject([1, { state: 'starting', pid }])
    expect(status.stderr).toContain('takes no requests yet. Stop it: svc down')
    expect((await terminal.svc('doctor')).stdout).toContain(`starting (pid ${pid})`)
    const other = await terminal.svc('up --port 0 --ws-port 0')
    expect([other.exit, other.stderr]).toEqual([1, expect.stringContaining('or is starting there. Stop it')])
    expect(await terminal.json('down')).toEqual({ state: 'stopped', pid })
    expect((await ended).exit).not.toBe(0)
    expect(await terminal.json('down')).toEqual({ state: 'stopped', pid: null })
  })

  it('is not confused with a command that works on the home: svc down names that one', async () => {
    const terminal = elsewhere()
    mkdirSync(terminal.home, { recursive: true })
    const lock = await lockFile(join(terminal.home, 'daemon.lock'))
    const { exit, stderr } = await terminal.svc('down')
    expect([exit, stderr]).toEqual([
      1,
      expect.stringContaining(`Process ${process.pid} works on ${terminal.home}`),
    ])
    await lock?.release()
    expect((await terminal.svc('down')).exit).toBe(0)
  })
})

describe('svc down', () => {
  it('stops the daemon of the home, and succeeds without one', async () => {
    const daemon = await DaemonProcess.ready()
    onTestFinished(() => daemon.dispose())
    const terminal = new Terminal({ home: daemon.home })
    expect((await terminal.svc('down')).exit).toBe(0)
    expect(await daemon.exited()).toEqual({ code: 0, signal: null })
    expect(await terminal.json('down')).toEqual({ state: 'stopped', pid: null })
  })

  it.each(['down', 'down --force'])(
    'svc %s never signals a process that only has the number',
    async (line) => {
      const pid = stranger()
      const { exit, stderr } = await homeOf(pid, await freeUrl()).svc(line)
      expect([exit, stderr]).toEqual([1, expect.stringContaining('It is another program: sleep 60')])
      expect(isAlive(pid)).toBe(true)
    },
  )
})

describe('svc status', () => {
  it('shows the pid and the addresses of the home’s daemon', async () => {
    const { url, pid } = desk.daemon
    expect(await atHome().json('status')).toMatchObject({
      state: 'ready',
      pid,
      url,
      ws_url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+/),
    })
  })

  it('reports a daemon that runs but does not answer, exit 1', async () => {
    desk.gateway.on('GET /health/ready', 'withheld')
    const { url } = desk.gateway
    const pid = silent()
    const { exit, stdout, stderr } = await homeOf(pid, url).svc('status --json --timeout 300ms')
    expect(exit).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ state: 'no_answer', pid, url, ws_url: null })
    expect(stderr).toContain(`(pid ${pid}) runs, but does not answer at ${url}. Wait longer: --timeout`)
    expect(stderr).toContain('svc down --force')
  })

  it('reports a daemon that answers but is not ready as starting', async () => {
    desk.gateway.on('GET /health/ready', { status: 503, text: '{"status":"fail"}' })
    const { exit, stdout } = await homeOf(desk.daemon.pid, desk.gateway.url).svc('status --json')
    expect([exit, JSON.parse(stdout).state]).toEqual([0, 'starting'])
  })

  it('reports a stopped daemon for a stale daemon.json, also when another program has its pid', async () => {
    for (const pid of [2 ** 22 + 1, stranger()]) {
      const { exit, stdout } = await homeOf(pid, await freeUrl()).svc('status --json')
      expect([exit, JSON.parse(stdout)]).toMatchObject([7, { state: 'stopped', pid: null }])
    }
  })
})

it('svc --version prints the version in a home without a daemon', async () => {
  expect((await elsewhere().svc('--version')).stdout).toMatch(/^svc \d+\.\d+\.\d+\n$/)
})

it('svc demo runs to its end and removes its files', async () => {
  const terminal = elsewhere()
  const tmp = tempDir()
  const { stdout } = await terminal.svc('demo', { env: { TMPDIR: tmp, NO_COLOR: '1' } })
  expect(stdout).toMatch(/BUY +25 +MARKET /)
  expect(stdout).toContain('Order approved and executed successfully')
  expect(stdout).toMatch(/SBIN +NSE +CNC +10 /)
  expect(stdout).toContain('Everything is cleaned up.')
  expect(existsSync(terminal.home)).toBe(false)
  expect(readdirSync(tmp).filter((name) => name.startsWith('svc-demo-'))).toEqual([])
})

describe('svc __complete with a daemon', () => {
  it('prints the words that may follow, from the daemon', async () => {
    const { terminal, daemon } = desk
    const { orderid } = (await daemon.place()).body
    const wordsAfter = async (...words: string[]) => {
      const { stdout } = await terminal.svc(['__complete', '--', ...words, ''])
      return stdout.split('\n').flatMap((line) => line.split('\t')[0] || [])
    }
    expect(await wordsAfter('order', 'cancel')).toEqual([orderid])
    expect(await wordsAfter('broker', 'use')).toContain('simulated')
    expect(await wordsAfter('session', 'revoke')).toHaveLength(1)
    for (const [noun, verb] of [
      ['approval', 'approve'],
      ['token', 'revoke'],
      ['order', 'settle'],
      ['nonsense', 'x'],
    ] as const) {
      expect(await wordsAfter(noun, verb)).toEqual([])
    }
  })

  it('prints nothing when it has no answer', async () => {
    const words = ['__complete', '--', 'approval', 'approve', '']
    expect(await elsewhere().svc(words)).toEqual({ exit: 0, stdout: '', stderr: '' })
  })
})
