import { spawnSync } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { tempDir } from '../support/files/temp.js'
import { DaemonProcess, SVC } from '../support/process/daemon-process.js'

/* The daemon and short commands run from the code that V8 compiled at build time, and from modules where they cannot use it. */

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

it('a short command loads its compiled program, with the output of the modules', async () => {
  const daemon = await DaemonProcess.ready()
  onTestFinished(() => daemon.dispose())
  expect((await daemon.place()).status).toBe(200)
  const orders = (nodeOptions = '', ...options: string[]) => {
    const env = {
      PATH: process.env.PATH,
      HOME: daemon.home,
      SVC_URL: daemon.url,
      SVC_API_KEY: daemon.apikey,
      NODE_DEBUG: 'esm',
      NODE_OPTIONS: nodeOptions,
    }
    const { status, stderr, stdout } = spawnSync(process.execPath, [SVC, 'order', 'list', ...options], {
      env,
      encoding: 'utf8',
    })
    expect(status).toBe(0)
    return { stdout, modules: new Set(stderr.match(/dist\/svc\/[\w-]+\.js/g)).size }
  }
  const compiled = orders()
  const fromModules = orders('--stack-trace-limit=20')
  expect(compiled.modules).toBeLessThan(6)
  expect(fromModules.modules).toBeGreaterThan(20)
  expect(compiled.stdout).toContain('SBIN')
  expect(compiled.stdout).toBe(fromModules.stdout)
  // jq is a module that only this option loads.
  expect(orders('', '--jq', '.[0].symbol // .symbol').stdout).toBe('SBIN\n')
})

it('an offline test of workflows loads the program of the daemon, with the output of the modules', () => {
  const tested = (nodeOptions = '') => {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      [SVC, 'flow', 'test', 'flows/webhook-order.test.yaml', '--filter', 'limits', '--json'],
      {
        env: { PATH: process.env.PATH, HOME: tempDir(), NODE_DEBUG: 'esm', NODE_OPTIONS: nodeOptions },
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      },
    )
    expect(status).toBe(0)
    return { stdout, modules: new Set(stderr.match(/dist\/svc\/[\w-]+\.js/g)).size }
  }
  const compiled = tested()
  const fromModules = tested('--stack-trace-limit=20')
  expect(compiled.modules).toBeLessThan(6)
  expect(fromModules.modules).toBeGreaterThan(20)
  expect(JSON.parse(compiled.stdout)).toHaveLength(1)
  expect(compiled.stdout).toBe(fromModules.stdout)
})
