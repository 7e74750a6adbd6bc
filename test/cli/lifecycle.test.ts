import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isAlive } from '../../src/cli/io/processes.js'
import { tempDir } from '../support/temp.js'
import { signedIn } from './support/desk.js'
import { FakeDaemon } from './support/fake-daemon.js'
import { Terminal } from './support/terminal.js'

const SVC = join(import.meta.dirname, '../../bin/svc')

/** A home whose daemon.json names that process and address. */
function homeOf(pid: number, url: string): Terminal {
  const terminal = new Terminal()
  mkdirSync(terminal.home, { recursive: true })
  writeFileSync(
    join(terminal.home, 'daemon.json'),
    JSON.stringify({ pid, url, ws_url: 'ws://x/events', version: '0.1.0' }),
  )
  return terminal
}

/** A process that has nothing to do with svc. */
function stranger(): number {
  return running('sleep', ['60'])
}

/** A process that looks like a daemon. */
function silent(): number {
  return running(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)', 'svc', 'up'])
}

function running(command: string, args: readonly string[]): number {
  const child = spawn(command, args)
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child.pid ?? 0
}

describe('svc up', () => {
  it('--detach in a home whose daemon runs prints its address: nothing to do', async () => {
    const daemon = await FakeDaemon.start()
    const { exit, stdout } = await homeOf(process.pid, daemon.url).svc('up --detach')
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${daemon.url}\n` })
  })

  it('in the foreground refuses to be the second', async () => {
    const daemon = await FakeDaemon.start()
    const { exit, stderr } = await homeOf(process.pid, daemon.url).svc('up')
    expect(exit).toBe(1)
    expect(stderr).toContain(`already runs at ${daemon.url} (pid ${process.pid}). Stop it: svc down`)
  })

  it.runIf(existsSync('/proc/self')).each(['up', 'up --detach'])(
    '%s refuses a home that cannot be made, at once',
    async (line) => {
      const { exit, stderr } = await new Terminal({ home: '/proc/nowhere/home' }).svc(line)
      expect(exit).toBe(1)
      expect(stderr).toContain('The home /proc/nowhere/home cannot be made: ENOENT')
      expect(stderr).toContain('Choose another: --home, or SVC_HOME.')
    },
  )

  it.each(['up --port http', 'up --port 70000', 'up --ws-port -1'])('%s is wrong usage', async (line) => {
    expect((await new Terminal().svc(line)).exit).toBe(2)
  })
})

describe('svc down', () => {
  it('without a daemon has nothing to do', async () => {
    const ran = await new Terminal().svc('down --json')
    expect(ran.exit).toBe(0)
    expect(JSON.parse(ran.stdout)).toEqual({ state: 'stopped', pid: null })
  })

  it.each(['down', 'down --force'])(
    'svc %s never signals a process that only has the number',
    async (line) => {
      const pid = stranger()
      const { exit, stderr } = await homeOf(pid, 'http://127.0.0.1:1').svc(line)
      expect(exit).toBe(1)
      expect(stderr).toContain('It is another program: sleep 60')
      expect(isAlive(pid)).toBe(true)
    },
  )
})

describe('svc status', () => {
  it('of the home tells pid and addresses', async () => {
    const daemon = await FakeDaemon.start()
    const { stdout } = await homeOf(4711, daemon.url).svc('status --json')
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'ready',
      pid: 4711,
      url: daemon.url,
      ws_url: 'ws://x/events',
    })
  })

  it('a daemon that runs and does not answer is not starting: it says so, exit 1', async () => {
    const daemon = (await FakeDaemon.start()).on('GET /health/ready', 'hang')
    const pid = silent()
    const { exit, stdout, stderr } = await homeOf(pid, daemon.url).svc('status --json --timeout 200ms')
    expect(exit).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ state: 'no_answer', pid, url: daemon.url, ws_url: null })
    expect(stderr).toContain(
      `(pid ${pid}) runs, but does not answer at ${daemon.url}. Wait longer: --timeout`,
    )
    expect(stderr).toContain('svc down --force')
  })

  it('a daemon.json whose number is another program now is a daemon that is stopped', async () => {
    const { exit, stdout } = await homeOf(stranger(), 'http://127.0.0.1:1').svc('status --json')
    expect(exit).toBe(7)
    expect(JSON.parse(stdout)).toMatchObject({ state: 'stopped', pid: null })
  })

  it('a daemon that answers and is not ready is starting', async () => {
    const daemon = (await FakeDaemon.start()).on('GET /health/ready', {
      status: 503,
      body: { status: 'fail' },
    })
    const { exit, stdout } = await homeOf(4711, daemon.url).svc('status --json')
    expect([exit, JSON.parse(stdout).state]).toEqual([0, 'starting'])
  })

  it('a daemon.json left behind is a daemon that is stopped', async () => {
    const { exit, stdout } = await homeOf(2 ** 22 + 1, 'http://127.0.0.1:1').svc('status --json')
    expect(exit).toBe(7)
    expect(JSON.parse(stdout)).toMatchObject({ state: 'stopped', pid: null })
  })
})

describe('the real program', () => {
  const real = promisify(execFile)

  it('svc --version answers without loading anything', async () => {
    const { stdout } = await real(process.execPath, [SVC, '--version'])
    expect(stdout).toMatch(/^svc \d+\.\d+\.\d+\n$/)
  })

  it.each([
    [
      'up --port 0 --ws-port 0',
      'error: The configuration cannot be used:\n  SIM_FAULTS: rule 1, kind: Invalid',
    ],
    [
      'up --port 0 --ws-port 0 --detach',
      'error: The daemon did not start: it ended with 1. error: The configuration cannot be used:\n  SIM_FAULTS: ',
    ],
  ])('svc %s says in lines what is wrong with the configuration', async (line, says) => {
    const home = join(tempDir(), 'home')
    const env = { ...process.env, SVC_DEV: '1', SVC_HOME: home, NO_COLOR: '1', SIM_FAULTS: '[{"kind":"x"}]' }
    const failed = await real(process.execPath, [SVC, ...line.split(' ')], { env }).catch((error) => error)
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain(says)
    expect(failed.stderr).not.toContain('u000a')
  })

  it('a broker that refuses the sign-in of a start is quoted', async () => {
    const SIM_FAULTS = '[{"on":["login"],"kind":"fail","httpStatus":503,"message":"no sign-in today"}]'
    const env = { ...process.env, SVC_DEV: '1', SVC_HOME: join(tempDir(), 'home'), NO_COLOR: '1', SIM_FAULTS }
    const up = ['up', '--port', '0', '--ws-port', '0']
    const failed = await real(process.execPath, [SVC, ...up], { env }).catch((error) => error)
    expect(failed.stderr).toBe('error: Signing in to Simulated exchange failed: no sign-in today.\n')
    expect(failed.code).toBe(1)
  })

  it('a start waits for a broker that is slow to sign in', { timeout: 120_000 }, async () => {
    const SIM_FAULTS = '[{"on":["login"],"kind":"delay","latencyMs":2000}]'
    const env = { ...process.env, SVC_DEV: '1', SVC_HOME: join(tempDir(), 'home'), NO_COLOR: '1', SIM_FAULTS }
    const svc = (line: string) => real(process.execPath, [SVC, ...line.split(' ')], { env })
    onTestFinished(async () => {
      await svc('down').catch(() => undefined)
    })
    await svc('up --port 0 --ws-port 0 --detach')
    const { stdout } = await svc('status --json')
    expect(JSON.parse(stdout)).toMatchObject({ state: 'ready' })
  })

  /** Places an order, its output redirected by the shell. */
  const placed = async (output: string) => {
    const { daemon, terminal } = await signedIn()
    const env = { ...process.env, SVC_DEV: '1', SVC_HOME: terminal.home, SVC_URL: daemon.url, NO_COLOR: '1' }
    const line = `"$0" "$1" order place SBIN NSE BUY 3 --idempotency-key k ${output}`
    const child = spawn('bash', ['-o', 'pipefail', '-c', line, process.execPath, SVC], { env })
    let stderr = ''
    child.stderr.on('data', (data) => {
      stderr += data
    })
    const exit = await new Promise((resolve) => child.on('close', resolve))
    return { exit, stderr, sent: daemon.last('POST /api/v1/placeorder').body }
  }

  it.runIf(existsSync('/dev/full'))('an order whose answer a full disk swallows is exit 8', async () => {
    const { exit, stderr } = await placed('> /dev/full')
    expect(exit).toBe(8)
    expect(stderr).toMatch(
      /^error: The output could not be written \(ENOSPC.*svc order status 25112100000001$/m,
    )
    expect(stderr).not.toContain('    at ')
  })

  it.runIf(existsSync('/dev/full'))('what cannot be said on stderr keeps no order back', async () => {
    expect(await placed('2> /dev/full')).toMatchObject({ exit: 0, stderr: '', sent: { symbol: 'SBIN' } })
  })

  it('a reader that went away neither keeps an order back nor makes it a failure', async () => {
    expect(await placed('2>&1 | true')).toMatchObject({ exit: 0, sent: { symbol: 'SBIN' } })
  })

  it('svc demo runs through and cleans up after itself', { timeout: 120_000 }, async () => {
    const tmp = tempDir()
    const env = { ...process.env, SVC_DEV: '1', TMPDIR: tmp, SVC_HOME: join(tmp, 'untouched'), NO_COLOR: '1' }
    const { stdout } = await real(process.execPath, [SVC, 'demo'], { env })
    expect(stdout).toMatch(/BUY +25 +MARKET .* pending/)
    expect(stdout).toContain('Order approved and executed successfully')
    expect(stdout).toMatch(/SBIN +NSE +CNC +10 /)
    expect(stdout).toContain('Everything is cleaned up.')
    expect(existsSync(env.SVC_HOME)).toBe(false)
    const { stdout: left } = await real('sh', ['-c', `ls ${tmp} | grep -c svc-demo- || true`])
    expect(left).toBe('0\n')
  })
})
