import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { commandDesk } from '../support/desk/command-desk.js'

/* These tests run the built program, because a bundle may change the exports of a package. */
const desk = commandDesk()
const EXAMPLES = fileURLToPath(new URL('../../flows', import.meta.url))

/** Returns the output of a command with `-o yaml`. */
async function yaml(...words: string[]): Promise<unknown> {
  const { exit, stdout, stderr } = await desk.terminal.svc([...words, '-o', 'yaml'])
  if (exit !== 0) throw new Error(`svc ${words.join(' ')} ended with ${exit}: ${stderr}`)
  return parse(stdout)
}

function file(name: string, text: string): string {
  const path = join(desk.daemon.home, name)
  writeFileSync(path, text)
  return path
}

const ORDERS = `
  - {symbol: SBIN, exchange: NSE, action: BUY, quantity: 1, product: MIS}
  - {symbol: INFY, exchange: NSE, action: BUY, quantity: 2, product: MIS}
`

describe('-o yaml', () => {
  it('writes records and lists, the same data as JSON', async () => {
    expect(await yaml('risk', 'show')).toEqual(await desk.terminal.json('risk show'))
    expect(await yaml('broker', 'list')).toEqual(await desk.terminal.json('broker list'))
  })
})

describe('orders of a YAML file', () => {
  it.each([
    ['the whole request', `strategy: e2e\norders:${ORDERS}`],
    ['a bare list', ORDERS],
  ])('%s is a basket', async (_, text) => {
    expect(await yaml('order', 'basket', file('basket.yaml', text))).toMatchObject({
      mode: 'analyze',
      results: [
        { symbol: 'SBIN', status: 'success' },
        { symbol: 'INFY', status: 'success' },
      ],
    })
  })

  it('broken YAML places nothing', async () => {
    const before = desk.gateway.received.length
    const { exit, stderr } = await desk.terminal.svc([
      ...['order', 'basket'],
      file('broken.yaml', 'orders: [{symbol: SBIN'),
    ])
    expect([exit, stderr]).toEqual([2, expect.stringContaining('broken.yaml')])
    expect(desk.gateway.received).toHaveLength(before)
  })
})

describe('workflows of YAML files', () => {
  it('the examples and their scenarios are valid', async () => {
    expect(await desk.terminal.svc(['flow', 'validate', EXAMPLES])).toMatchObject({ exit: 0 })
  })

  it('an error has its line and column', async () => {
    const path = file('wrong.yaml', 'id: wrong\nname: Wrong\nnodes:\n  start:\n    type: startt\n')
    const { exit, stdout, stderr } = await desk.terminal.svc(['flow', 'validate', path])
    expect(exit).toBe(2)
    expect(stdout + stderr).toMatch(/wrong\.yaml:5:11: error\[.+startt/)
  })

  it('apply stores a workflow, and export writes it back', async () => {
    const applied = await desk.terminal.svc(['flow', 'apply', join(EXAMPLES, 'webhook-order.yaml')])
    expect([applied.exit, applied.stderr]).toEqual([0, expect.any(String)])
    const { stdout } = await desk.terminal.svc('flow export webhook-order')
    expect(parse(stdout)).toMatchObject({
      id: 'webhook-order',
      nodes: { called: { type: 'webhookTrigger' } },
    })
  })
})
