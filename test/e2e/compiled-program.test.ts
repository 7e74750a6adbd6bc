import { expect, it, onTestFinished } from 'vitest'
import { DaemonProcess } from '../support/process/daemon-process.js'

/* The daemon runs from the code that V8 compiled at build time, and from modules where it cannot use that code. */

/** Starts a daemon. @returns the modules of the built program that it loaded */
async function modulesOf(nodeOptions = ''): Promise<number> {
  const daemon = DaemonProcess.prepared({ NODE_DEBUG: 'esm', NODE_OPTIONS: nodeOptions })
  onTestFinished(() => daemon.dispose())
  await daemon.start()
  expect((await daemon.place()).status).toBe(200)
  return new Set(daemon.output.match(/dist\/svc\/[\w-]+\.js/g)).size
}

it('a start loads the compiled program, and no modules but those that find it', async () => {
  expect(await modulesOf()).toBeLessThan(6)
})

it('V8 with other flags cannot use the compiled program: the start loads the modules', async () => {
  expect(await modulesOf('--stack-trace-limit=20')).toBeGreaterThan(20)
})
