import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { nodeFinding } from '../../../../src/cli/commands/upgrade/checks.js'
import {
  environmentFor,
  mayAskToStop,
  settingsIn,
  startAs,
  stopAll,
} from '../../../../src/cli/commands/upgrade/daemon-process.js'
import { daemonsOf, runsFrom, unitIn } from '../../../../src/cli/commands/upgrade/proc.js'
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
  const at = (env: Record<string, string>) =>
    environmentFor({ io: { env }, settings: { home: tempDir() } }, how)
  expect(() => at({})).toThrow('lacks: APP_KEY')
  expect(at({ APP_KEY: 'x' })).toEqual({ APP_KEY: 'x' })
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
  expect(daemonsOf({ folder, stage }, proc).sort()).toEqual([41, 44, 45, 46])
})

it('a daemon runs from where its native modules are by now', () => {
  const [proc, stage] = [tempDir(), tempDir()]
  mkdirSync(join(proc, '41'))
  const maps = `7f00-7f10 r-xp 00000000 08:01 9 ${join(stage, 'former/node_modules/sqlite3/node_sqlite3.node')}\n`
  writeFileSync(join(proc, '41/maps'), maps)
  expect([41, 42].map((pid) => runsFrom(pid, stage, proc))).toEqual([true, false])
  expect(runsFrom(41, `${stage}-other`, proc)).toBe(false)
})

it('a new version that needs a newer Node is refused', () => {
  expect(nodeFinding('20.19.0', '>=20.19')).toMatchObject({ status: 'ok' })
  expect(nodeFinding('20.19.0', undefined)).toMatchObject({ status: 'ok' })
  expect(nodeFinding('20.19.0', '>=22')).toMatchObject({ status: 'fail', fix: 'install a newer Node' })
})

it('a daemon is asked to stop while it accepts requests or starts, and not a second time while it stops', async () => {
  const home = tempDir()
  let checks = { recovery: 'done', requests: 'accepted', storage: 'ok' }
  const server = createServer((_, response) => void response.end(JSON.stringify({ checks }))).listen(
    0,
    '127.0.0.1',
  )
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  writeFileSync(join(home, 'daemon.json'), JSON.stringify({ pid: 41, url: `http://127.0.0.1:${port}` }))
  expect(await mayAskToStop(41, home)).toBe(true)
  checks = { recovery: 'done', requests: 'refused', storage: 'ok' }
  expect(await mayAskToStop(41, home)).toBe(false)
  // One whose disk is full refuses requests, too, and does not stop by itself.
  checks = { recovery: 'done', requests: 'refused', storage: 'svc.db cannot be written' }
  expect(await mayAskToStop(41, home)).toBe(true)
  // One that starts has not written its file yet.
  expect(await mayAskToStop(42, home)).toBe(true)
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
  expect(await mayAskToStop(41, home)).toBe(false)
})

it('a daemon is started in its home, although its environment names another one', async () => {
  const command = join(tempDir(), 'svc')
  writeFileSync(command, `console.error('error: ' + process.argv.slice(2).join(' ')); process.exit(1)`)
  const how = { port: 5001, ws_port: 8766, settings: [] }
  const env = { SVC_URL: 'https://desk.example.com' }
  const at = {
    io: { sleep: async () => undefined },
    settings: { home: '/desk', daemon: undefined, timeoutMs: undefined },
  }
  await expect(startAs(at, how, { command, version: '0.1.0', id: null, env })).rejects.toThrow(
    'up --detach --home /desk --context local --port 5001 --ws-port 8766 --timeout',
  )
})

/** Starts a process that is the daemon of a home, as far as one can see. */
function daemonOf(home: string) {
  const folder = tempDir()
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/svc'), 'setInterval(() => undefined, 60_000)')
  const child = spawn(process.execPath, [join(folder, 'bin/svc'), 'up', '--home', home])
  onTestFinished(() => void child.kill('SIGKILL'))
  return { pid: child.pid ?? 0, installation: { folder, stage: join(folder, 'stage') } }
}

/** Lets the time pass with the sleeps alone. */
function clockOf() {
  let now = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => spy.mockRestore())
  return {
    sleep: async (ms: number) => {
      now += ms
    },
  }
}

it.runIf(existsSync('/proc/self'))('a daemon that was not asked to stop is said to be one', async () => {
  const home = tempDir()
  const { installation, pid } = daemonOf(home)
  writeFileSync(join(home, 'daemon.json'), JSON.stringify({ pid, url: 'http://127.0.0.1:1' }))
  const io = clockOf()
  const settings = { home, daemon: { context: 'local' } }
  await expect(stopAll({ io, settings }, installation)).rejects.toMatchObject({
    code: 'still_runs',
    message: expect.stringMatching(/not asked to stop: .* svc down --home .* asks it all the same\.$/),
  })
})
