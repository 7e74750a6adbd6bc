import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { DaemonProcess, SVC } from '../support/daemon-process.js'

/* The built program, not the sources: a bundle may give a package another shape. */
let daemon: DaemonProcess
beforeAll(async () => {
  daemon = await DaemonProcess.ready()
})
afterAll(() => daemon.dispose())

const svc = (...args: string[]) =>
  execFileSync(process.execPath, [SVC, ...args, '--home', daemon.home], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: daemon.home, SVC_API_KEY: daemon.apikey, SVC_TOKEN: daemon.token },
  })

it('the built program writes YAML and reads a YAML request', () => {
  expect(parse(svc('risk', 'show', '-o', 'yaml'))).toMatchObject({ kill_switch: { on: false, stored: true } })
  const file = join(daemon.home, 'basket.yaml')
  const orders = 'orders:\n  - {symbol: SBIN, exchange: NSE, action: BUY, quantity: 1, product: MIS}\n'
  writeFileSync(file, `strategy: e2e\n${orders}`)
  const placed: unknown = parse(svc('order', 'basket', file, '-o', 'yaml'))
  expect(JSON.stringify(placed)).toContain('SBIN')
})
