import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.js'
import { DaemonProcess } from '../support/process/daemon-process.js'

/* A supervisor starts a daemon again when its process has failed, and only then. */

/** Starts a daemon in a home where it cannot write `daemon.json`. @returns its output, when its process has ended */
async function failedStart(env: (home: string) => Record<string, string>): Promise<string> {
  const daemon = DaemonProcess.prepared()
  onTestFinished(() => daemon.dispose())
  mkdirSync(join(daemon.home, 'daemon.json.new'))
  await daemon.start({ expectFailure: true, env: env(daemon.home) })
  await eventually(() => !daemon.running, 'the process has ended')
  expect(await daemon.exited()).toEqual({ code: 1, signal: null })
  expect(existsSync(join(daemon.home, 'daemon.json'))).toBe(false)
  return daemon.output
}

it('a daemon that cannot write where it is ends its process with a failure, and was never ready', async () => {
  const output = await failedStart(() => ({}))
  expect(output).toMatch(/^error: .*daemon\.json\.new/m)
  expect(output).not.toContain('daemon.ready')
})

it('its process also ends when something that nothing closes would keep it alive', async () => {
  const output = await failedStart((home) => {
    const preload = join(home, 'held.cjs')
    writeFileSync(preload, 'setInterval(() => undefined, 60_000)')
    return { NODE_OPTIONS: `--require ${preload}` }
  })
  expect(output).toMatch(/^error: .*daemon\.json\.new/m)
})
