import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { nodeFinding, othersFinding, unsettledText } from '../../../../src/cli/commands/upgrade/checks.js'
import {
  launchFor,
  mayAskToStop,
  settingsIn,
  startAs,
  stopAll,
} from '../../../../src/cli/commands/upgrade/daemon-process.js'
import {
  daemonsOf,
  isOfHome,
  nodeOptionsOf,
  runsFrom,
  supervisorOf,
  unitIn,
} from '../../../../src/cli/commands/upgrade/proc.js'
import { portOf } from '../../../../src/cli/io/home.js'
import { tempDir } from '../../../support/files/temp.js'

it('a daemon may belong to a unit of the system or of a user; a session is no unit', () => {
  expect(
    [
      '0::/system.slice/svc.service\n',
      '0::/system.slice/system-svc.slice/svc@asha.service\n',
      '1:cpu:/\n9:name=systemd:/system.slice/svc.service/worker\n',
      '0::/user.slice/user-1000.slice/user@1000.service/app.slice/svc.service\n',
      '0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope\n',
      '0::/user.slice/user-1000.slice/session-3.scope\n',
      '0::/\n',
    ].map(unitIn),
  ).toEqual([
    { name: 'svc.service', isOfUser: false },
    { name: 'svc@asha.service', isOfUser: false },
    { name: 'svc.service', isOfUser: false },
    { name: 'svc.service', isOfUser: true },
    ...[undefined, undefined, undefined],
  ])
})

it('of the settings in an environment only the names are kept, without those that the command line says', async () => {
  const env = { APP_KEY: 'secret', LOG_LEVEL: '', SVC_PORT: '5000', SVC_HOME: '/desk', SHELL: '/bin/sh' }
  expect(await settingsIn(env)).toEqual(['APP_KEY'])
})

it('a daemon is not started without the settings that it had', () => {
  const how = { port: 5000, ws_port: null, settings: ['APP_KEY'] }
  const at = (env: Record<string, string>) => launchFor({ io: { env }, settings: { home: tempDir() } }, how)
  expect(() => at({})).toThrow('lacks: APP_KEY')
  expect(at({ APP_KEY: 'x' })).toEqual({ env: { APP_KEY: 'x' }, cwd: undefined })
})

it('a URL without a port has that of its protocol', () => {
  const urls = ['http://127.0.0.1:5000', 'http://127.0.0.1', 'ws://127.0.0.1', 'https://desk.example.com']
  expect(urls.map(portOf)).toEqual([5000, 80, 80, 443])
})

it('the daemons of an installation are those that its command started, also from the stage', () => {
  const [proc, prefix] = [tempDir(), tempDir()]
  const folder = join(prefix, 'lib/node_modules/svc-desk')
  const stage = join(prefix, 'lib/node_modules/.svc-desk-upgrade')
  for (const one of [folder, join(stage, 'former')]) {
    mkdirSync(join(one, 'bin'), { recursive: true })
    writeFileSync(join(one, 'bin/svc'), '')
  }
  mkdirSync(join(prefix, 'bin'))
  symlinkSync('../lib/node_modules/svc-desk/bin/svc', join(prefix, 'bin/svc'))
  const processes: Record<string, string[]> = {
    41: ['node', join(prefix, 'bin/svc'), 'up', '--home', '/desk'],
    42: ['node', join(prefix, 'bin/svc'), 'upgrade', '--yes'],
    43: ['vim', 'up'],
    44: ['node', '--max-old-space-size=900', join(folder, 'bin/svc'), 'up'],
    45: ['node', join(stage, 'former/bin/svc'), 'up'],
    46: ['node', './bin/svc', 'up'],
    47: ['node', '/opt/other/bin/svc', 'up'],
  }
  for (const [pid, words] of Object.entries(processes)) {
    mkdirSync(join(proc, pid))
    writeFileSync(join(proc, pid, 'cmdline'), `${words.join('\0')}\0`)
  }
  symlinkSync(folder, join(proc, '46/cwd'))
  mkdirSync(join(proc, 'self'))
  expect(daemonsOf({ folder, stage }, proc)?.sort()).toEqual([41, 44, 45, 46])
  const options = [41, 43, 44].map((pid) => nodeOptionsOf(pid, { folder, stage }, proc))
  expect(options).toEqual([[], [], ['--max-old-space-size=900']])
  // Elsewhere than on Linux there is no such folder, or it is empty.
  expect([join(proc, 'none'), tempDir()].map((none) => daemonsOf({ folder, stage }, none))).toEqual([
    undefined,
    undefined,
  ])
})

it('a daemon may belong to a supervisor that starts it again', () => {
  const proc = tempDir()
  /** The processes: their parent, their terminal and their words. */
  const processes: Record<string, [number, number, string]> = {
    1: [0, 0, '/sbin/init'],
    10: [1, 0, '/usr/bin/python3\0/usr/bin/supervisord\0-n\0'],
    11: [10, 0, 'node\0/bin/svc\0up\0'],
    20: [1, 0, 'runsv\0svc\0'],
    21: [20, 0, 'sh\0./run\0'],
    22: [21, 0, 'node\0/bin/svc\0up\0'],
    30: [1, 0, 'PM2 v5.3.0: God Daemon (/home/asha/.pm2)'],
    31: [30, 0, 'node\0/bin/svc\0up\0'],
    // One of svc up --detach, and one in a terminal that a supervisor has started.
    40: [1, 0, 'node\0/bin/svc\0up\0'],
    41: [20, 34816, 'node\0/bin/svc\0up\0'],
  }
  for (const [pid, [parent, terminal, words]] of Object.entries(processes)) {
    mkdirSync(join(proc, pid))
    writeFileSync(join(proc, pid, 'stat'), `${pid} (a) b) S ${parent} 1 1 ${terminal} 1 0`)
    writeFileSync(join(proc, pid, 'cmdline'), words)
  }
  expect([11, 22, 31, 40, 41, 50].map((pid) => supervisorOf(pid, proc))).toEqual([
    ...['supervisord', 'runsv', 'PM2', undefined, undefined, undefined],
  ])
})

it('a daemon runs from where its native modules are by now', () => {
  const [proc, stage] = [tempDir(), tempDir()]
  mkdirSync(join(proc, '41'))
  const maps = `7f00-7f10 r-xp 00000000 08:01 9 ${join(stage, 'former/node_modules/sqlite3/node_sqlite3.node')}\n`
  writeFileSync(join(proc, '41/maps'), maps)
  expect([41, 42].map((pid) => runsFrom(pid, stage, proc))).toEqual([true, false])
  expect(runsFrom(41, `${stage}-other`, proc)).toBe(false)
})

it('a system that does not show the other daemons is no system without them', () => {
  expect(othersFinding([41], 41)).toMatchObject({ status: 'ok' })
  expect(othersFinding([41, 42], 41)).toMatchObject({ status: 'fail', fix: 'svc down --home FOLDER' })
  expect(othersFinding(undefined, 41)).toMatchObject({
    status: 'warn',
    fix: 'svc down --home FOLDER in each other home first',
  })
})

it('an order in doubt is waited for only while a daemon runs that settles it', () => {
  const svc = (words: string) => `svc ${words} --home /desk`
  expect(unsettledText(1, svc, true)).toMatch(/svc order journal --state unknown --home \/desk$/)
  expect(unsettledText(2, svc, false)).toContain('start it (svc up --detach --home /desk)')
})

it('a new version that needs a newer Node is refused', () => {
  expect(nodeFinding('20.19.0', '>=20.19')).toMatchObject({ status: 'ok' })
  expect(nodeFinding('20.19.0', undefined)).toMatchObject({ status: 'ok' })
  expect(nodeFinding('20.19.0', '>=22')).toMatchObject({ status: 'fail', fix: 'install a newer Node' })
})

const ACCEPTING = { recovery: 'done', requests: 'accepted', storage: 'ok' }

/** Starts a server that answers every request with an object, as it is then. */
async function answering(answer: object) {
  const server = createServer((_, response) => void response.end(JSON.stringify(answer)))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return { server, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }
}

it('a daemon is asked to stop while it accepts requests or starts, and not a second time while it stops', async () => {
  const home = tempDir()
  const answer = { checks: ACCEPTING }
  const { server, url } = await answering(answer)
  writeFileSync(join(home, 'daemon.json'), JSON.stringify({ pid: 41, url }))
  expect(await mayAskToStop(41, home)).toBe(true)
  answer.checks = { recovery: 'done', requests: 'refused', storage: 'ok' }
  expect(await mayAskToStop(41, home)).toBe(false)
  // One whose disk is full refuses requests, too, and does not stop by itself.
  answer.checks = { recovery: 'done', requests: 'refused', storage: 'svc.db cannot be written' }
  expect(await mayAskToStop(41, home)).toBe(true)
  // One that starts has not written its file yet.
  expect(await mayAskToStop(42, home)).toBe(true)
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
  expect(await mayAskToStop(41, home)).toBe(false)
})

/** Makes an installation whose command does as a script says. */
function installationOf(script: string) {
  const folder = tempDir()
  const bin = join(folder, 'bin/svc')
  mkdirSync(join(folder, 'bin'))
  writeFileSync(bin, script)
  return { bin, folder, stage: join(folder, 'stage') }
}

/** Starts a process that is the daemon of a home, as far as one can see. */
async function daemonOf(home: string, cwd = home) {
  const installation = installationOf(`console.log('up'); setInterval(() => undefined, 60_000)`)
  const child = spawn(process.execPath, [installation.bin, 'up', '--home', home], { cwd })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return { child, pid: child.pid ?? 0, installation }
}

/** Lets the time pass with the sleeps alone, and faster. */
function clockOf(meanwhile: () => void = () => undefined) {
  let now = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => spy.mockRestore())
  return {
    sleep: async (ms: number) => {
      now += 100 * ms
      meanwhile()
    },
  }
}

const atHome = (home: string) => ({ home, daemon: { context: 'local' }, timeoutMs: undefined })
const HOW = { port: 5001, ws_port: 8766, settings: [], node: ['--no-warnings'] }
/** A command that says how it was called, and fails. */
const SAYS = `console.error('error: ' + [process.cwd(), ...process.execArgv, ...process.argv.slice(2)].join(' '))
process.exit(1)`

it('a daemon is started as it ran, in its home, although its environment names another one', async () => {
  const [home, cwd] = [tempDir(), realpathSync(tempDir())]
  const wanted = { installation: installationOf(SAYS), version: '0.1.0', id: null, cwd }
  const env = { SVC_URL: 'https://desk.example.com' }
  await expect(startAs({ io: clockOf(), settings: atHome(home) }, HOW, { ...wanted, env })).rejects.toThrow(
    `${cwd} --no-warnings up --detach --home ${home} --context local --port 5001 --ws-port 8766 --timeout 900000ms`,
  )
})

describe.runIf(existsSync('/proc/self'))('a daemon that runs', () => {
  it('is started again in the folder from which its settings name files', async () => {
    const [home, cwd] = [tempDir(), realpathSync(tempDir())]
    const { pid } = await daemonOf(home, cwd)
    writeFileSync(join(home, 'daemon.json'), JSON.stringify({ pid, url: 'http://127.0.0.1:1' }))
    expect(launchFor({ io: { env: {} }, settings: { home } }, null)).toMatchObject({ cwd })
  })

  it('is that of the home that its words, its environment or its user name', async () => {
    const user = realpathSync(tempDir())
    const { installation } = await daemonOf(user)
    const daemonIn = async (words: string[], env: Record<string, string>) => {
      const child = spawn(process.execPath, [installation.bin, 'up', ...words], { cwd: user, env })
      onTestFinished(() => void child.kill('SIGKILL'))
      await once(child.stdout, 'data')
      return child.pid ?? 0
    }
    const own = join(user, '.local/share/svc')
    const named = await daemonIn(['--home', 'desk'], { HOME: user })
    const set = await daemonIn([], { HOME: user, SVC_HOME: 'desk' })
    const byUser = await daemonIn([], { HOME: user })
    const byData = await daemonIn([], { HOME: '/elsewhere', XDG_DATA_HOME: join(user, '.local/share') })
    const isDesk = [named, set, byUser, byData].map((pid) => isOfHome(pid, join(user, 'desk')))
    expect(isDesk).toEqual([true, true, false, false])
    expect([named, set, byUser, byData].map((pid) => isOfHome(pid, own))).toEqual([false, false, true, true])
  })

  it('is said not to have been asked to stop, if it was not', async () => {
    const home = tempDir()
    const { installation, pid } = await daemonOf(home)
    writeFileSync(join(home, 'daemon.json'), JSON.stringify({ pid, url: 'http://127.0.0.1:1' }))
    await expect(stopAll({ io: clockOf(), settings: atHome(home) }, installation)).rejects.toMatchObject({
      code: 'still_runs',
      message: expect.stringMatching(/not asked to stop: .* svc down --home .* asks it all the same\.$/),
    })
  })

  it('is waited for while it starts, and none is started beside it', async () => {
    const home = tempDir()
    const { installation, pid } = await daemonOf(home)
    const { url } = await answering({ checks: ACCEPTING, id: 'a', version: '0.1.0' })
    writeFileSync(installation.bin, SAYS)
    let waits = 0
    const io = clockOf(() => {
      waits += 1
      // After ten minutes.
      if (waits === 120) writeFileSync(join(home, 'daemon.json'), JSON.stringify({ pid, url }))
    })
    const wanted = { installation, version: '0.1.0', id: 'a', env: {}, cwd: undefined }
    await startAs({ io, settings: atHome(home) }, HOW, wanted)
    expect(waits).toBe(120)
  })

  it('is replaced when it ends before it accepts requests', async () => {
    const home = tempDir()
    const { child, installation } = await daemonOf(home)
    writeFileSync(installation.bin, SAYS)
    const io = clockOf(() => void child.kill('SIGKILL'))
    const wanted = { installation, version: '0.1.0', id: 'a', env: {}, cwd: undefined }
    await expect(startAs({ io, settings: atHome(home) }, HOW, wanted)).rejects.toThrow('up --detach')
  })
})
