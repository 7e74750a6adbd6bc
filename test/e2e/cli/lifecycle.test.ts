import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isAlive } from '../../../src/cli/io/processes.js'
import { commandDesk } from '../../support/desk/command-desk.js'
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
  it('--detach in a home whose daemon runs prints its address: nothing to do', async () => {
    const { exit, stdout } = await atHome().svc('up --detach')
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${desk.daemon.url}\n` })
  })

  it('--detach with another port than that of the daemon is refused: the port would not be applied', async () => {
    const { url, pid } = desk.daemon
    const { exit, stderr } = await atHome().svc('up --detach --port 1')
    expect(exit).toBe(1)
    expect(stderr).toContain(`already runs at ${url} (pid ${pid}). Stop it: svc down`)
    expect((await atHome().svc(`up --detach --port ${new URL(url).port}`)).exit).toBe(0)
  })

  it('in the foreground refuses to be the second', async () => {
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

  it('is wrong usage with a port that is none', async () => {
    for (const line of ['up --port http', 'up --port 70000', 'up --ws-port -1'])
      expect([line, (await elsewhere().svc(line)).exit]).toEqual([line, 2])
  })

  it.each([
    ['', 'error: The configuration cannot be used:\n  SIM_FAULTS: rule 1, kind: Invalid'],
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

describe('svc down', () => {
  it('stops the daemon of the home, and without one has nothing to do', async () => {
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
  it('of the home tells pid and addresses', async () => {
    const { url, pid } = desk.daemon
    expect(await atHome().json('status')).toMatchObject({
      state: 'ready',
      pid,
      url,
      ws_url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+/),
    })
  })

  it('a daemon that runs and does not answer is not starting: it says so, exit 1', async () => {
    desk.gateway.on('GET /health/ready', 'withheld')
    const { url } = desk.gateway
    const pid = silent()
    const { exit, stdout, stderr } = await homeOf(pid, url).svc('status --json --timeout 300ms')
    expect(exit).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ state: 'no_answer', pid, url, ws_url: null })
    expect(stderr).toContain(`(pid ${pid}) runs, but does not answer at ${url}. Wait longer: --timeout`)
    expect(stderr).toContain('svc down --force')
  })

  it('a daemon that answers and is not ready is starting', async () => {
    desk.gateway.on('GET /health/ready', { status: 503, text: '{"status":"fail"}' })
    const { exit, stdout } = await homeOf(desk.daemon.pid, desk.gateway.url).svc('status --json')
    expect([exit, JSON.parse(stdout).state]).toEqual([0, 'starting'])
  })

  it('a daemon.json left behind, or whose number is another program now, is a daemon that is stopped', async () => {
    for (const pid of [2 ** 22 + 1, stranger()]) {
      const { exit, stdout } = await homeOf(pid, await freeUrl()).svc('status --json')
      expect([exit, JSON.parse(stdout)]).toMatchObject([7, { state: 'stopped', pid: null }])
    }
  })
})

it('svc --version answers without loading anything', async () => {
  expect((await elsewhere().svc('--version')).stdout).toMatch(/^svc \d+\.\d+\.\d+\n$/)
})

it('svc demo runs through and cleans up after itself', async () => {
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

describe('svc __complete asks the daemon', () => {
  it('for the words that fit', async () => {
    const { terminal, daemon } = desk
    const { orderid } = (await daemon.place()).body
    const words = async (kind: string) => (await terminal.svc(`__complete ${kind}`)).stdout.trim().split('\n')
    expect(await words('orders')).toEqual([orderid])
    expect(await words('brokers')).toContain('simulated')
    expect(await words('sessions')).toHaveLength(1)
    for (const kind of ['approvals', 'tokens', 'journal', 'nonsense']) expect(await words(kind)).toEqual([''])
  })

  it('and says nothing when it cannot tell', async () => {
    expect(await elsewhere().svc('__complete approvals')).toEqual({ exit: 0, stdout: '', stderr: '' })
  })
})
