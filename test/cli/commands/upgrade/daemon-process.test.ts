import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { daemonsOf, nodeFinding } from '../../../../src/cli/commands/upgrade/checks.js'
import { systemUnitIn, userUnitIn } from '../../../../src/cli/commands/upgrade/daemon-process.js'
import { lastWords } from '../../../../src/cli/commands/upgrade/run-program.js'
import { portOf } from '../../../../src/cli/io/home.js'
import { tempDir } from '../../../support/files/temp.js'

it('a unit of the whole system is none of the user, and a session is no unit', () => {
  const [service, many] = [
    '0::/system.slice/svc.service\n',
    '0::/system.slice/system-svc.slice/svc@asha.service\n',
  ]
  const own = '0::/user.slice/user-1000.slice/user@1000.service/app.slice/svc.service\n'
  const session = '0::/user.slice/user-1000.slice/session-3.scope\n'
  expect([service, many, own, session, '0::/\n'].map(systemUnitIn)).toEqual([
    'svc.service',
    'svc@asha.service',
    undefined,
    undefined,
    undefined,
  ])
  expect([service, many, own, session, '0::/\n'].map(userUnitIn)).toEqual([
    ...[undefined, undefined, 'svc.service', undefined, undefined],
  ])
})

it('a URL without a port has that of its protocol', () => {
  const urls = ['http://127.0.0.1:5000', 'http://127.0.0.1', 'ws://127.0.0.1', 'https://desk.example.com']
  expect(urls.map(portOf)).toEqual([5000, 80, 80, 443])
})

it('the other daemons of an installation are those that its command started', () => {
  const [proc, prefix] = [tempDir(), tempDir()]
  const folder = join(prefix, 'lib/node_modules/svc-desk')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'bin/svc'), '')
  mkdirSync(join(prefix, 'bin'))
  symlinkSync('../lib/node_modules/svc-desk/bin/svc', join(prefix, 'bin/svc'))
  const processes: Record<string, string[]> = {
    41: ['node', join(prefix, 'bin/svc'), 'up', '--home', '/desk'],
    42: ['node', join(prefix, 'bin/svc'), 'upgrade', '--yes'],
    43: ['vim', 'up'],
    44: ['node', join(folder, 'bin/svc'), 'up'],
  }
  for (const [pid, words] of Object.entries(processes)) {
    mkdirSync(join(proc, pid))
    writeFileSync(join(proc, pid, 'cmdline'), `${words.join('\0')}\0`)
  }
  mkdirSync(join(proc, 'self'))
  expect(daemonsOf(folder, proc).sort()).toEqual([41, 44])
})

it('a new version that needs a newer Node is refused', () => {
  expect(nodeFinding('20.19.0', '>=20.19')).toMatchObject({ status: 'ok' })
  expect(nodeFinding('20.19.0', undefined)).toMatchObject({ status: 'ok' })
  expect(nodeFinding('20.19.0', '>=22')).toMatchObject({ status: 'fail', fix: 'install a newer Node' })
})

it('of what a program says, the error counts', () => {
  expect(lastWords('note\nerror: The port is taken.\nStop it.\n')).toBe('The port is taken. Stop it.')
  expect(
    lastWords(
      'npm warn old\nnpm error code E404\nnpm error 404 Not Found\nnpm error A complete log is in x\n',
    ),
  ).toBe('code E404 404 Not Found')
  expect(lastWords('tar: no such file\n')).toBe('tar: no such file')
})
