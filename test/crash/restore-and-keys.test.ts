import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { testInTorture } from '../support/chance/cases.js'
import { runCommand } from '../support/process/commands.js'
import { DaemonProcess } from '../support/process/daemon-process.js'

/* svc restore and svc config rotate-key, both killed in one home. The restored data stays readable. */

const ROTATE = ['config', 'rotate-key', '--yes']

/** A stopped home with a sealed value in its databases, and a backup of it. */
async function scene() {
  const daemon = await DaemonProcess.ready()
  onTestFinished(() => daemon.dispose())
  expect((await daemon.request('PUT', '/flow/api/secrets/token', { value: 'swordfish' })).status).toBe(200)
  const { status, body } = await daemon.request<{ data: { id: string } }>('POST', '/backups')
  expect(status).toBe(200)
  await daemon.signal('SIGTERM')
  const run = (args: readonly string[], crashAt?: string) =>
    runCommand(daemon, args, crashAt === undefined ? {} : { SVC_CRASH_AT: crashAt })
  const restore = ['restore', body.data.id, '--replace']
  return { daemon, run, restore, keys: keysOf(daemon.home) }
}

const keysOf = (home: string) => {
  const { APP_KEY, FERNET_SALT } = parseEnv(readFileSync(join(home, 'config.env'), 'utf8'))
  return { APP_KEY, FERNET_SALT }
}

it('a start finishes a restore before a change of keys, and keeps the keys of the backup', async () => {
  const { daemon, run, restore, keys } = await scene()
  expect((await run(ROTATE, 'keys.change.sealed')).signal).toBe('SIGKILL')
  expect((await run(restore, 'restore.afterDecision')).signal).toBe('SIGKILL')
  await daemon.start()
  expect(keysOf(daemon.home)).toEqual(keys)
  expect((await daemon.place()).code).toBe('kill_switch')
})

testInTorture(
  'the databases that a restore sets aside stay readable when a change of keys was cut off',
  async () => {
    const { daemon, run, restore, keys } = await scene()
    expect((await run(ROTATE, 'keys.change.sealed')).signal).toBe('SIGKILL')
    const { code, output } = await run([...restore, '--json'])
    expect(code, output).toBe(0)
    const aside = /before-restore-\d{8}T\d{6}Z/.exec(output)?.[0] ?? ''
    await daemon.start()
    expect(keysOf(daemon.home)).toEqual(keys)
    await daemon.signal('SIGTERM')
    // With everything back in its place, also the write-ahead logs, the next start finishes the change.
    expect(existsSync(join(daemon.home, 'keys.next'))).toBe(false)
    cpSync(join(daemon.home, aside), daemon.home, { recursive: true })
    await daemon.start()
    expect(keysOf(daemon.home)).not.toEqual(keys)
    expect((await daemon.place()).status).toBe(200)
  },
)

testInTorture('a change of keys finishes a restore first', async () => {
  const { daemon, run, restore, keys } = await scene()
  expect((await run(restore, 'restore.afterDecision')).signal).toBe('SIGKILL')
  const { code, output } = await run(ROTATE)
  expect(code, output).toBe(0)
  expect(keysOf(daemon.home)).not.toEqual(keys)
  await daemon.start()
  expect((await daemon.place()).code).toBe('kill_switch')
})
