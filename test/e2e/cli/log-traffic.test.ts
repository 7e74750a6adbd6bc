import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { commandDesk } from '../../support/desk/command-desk.js'
import { queueOne } from '../../support/desk/desk-state.js'
import { chain, fire, order, runsOf, webhookFlow } from '../../support/desk/flow-desk.js'
import { eventually } from '../../support/eventually.js'

const desk = commandDesk()

interface Request {
  client_ip: string
  method: string
  path: string
  status_code: number
  user_id: string | null
  error: string | null
}

interface Timing {
  order_type: string
  status: string
  source: string | null
  order_id: string
}

const requests = (options = '') => desk.terminal.json<Request[]>(`log traffic --limit 2000 ${options}`)
const timings = (options = '') => desk.terminal.json<Timing[]>(`log latency ${options}`)
const orders = async () => (await timings()).filter(({ source }) => source !== null)

describe('svc log traffic', () => {
  it('shows every request: orders, a wrong path, a wrong key, and upgrades', async () => {
    const { daemon } = desk
    await daemon.place()
    await daemon.place({ apikey: 'f'.repeat(64) })
    await daemon.send('/wp-login.php')
    await upgrade(`${daemon.url.replace('http', 'ws')}/events`)
    const rows = await requests()
    const of = (path: string) => rows.filter((row) => row.path === path)
    expect(of('/api/v1/placeorder')).toMatchObject([
      { method: 'POST', status_code: 200, user_id: 'asha', error: null, client_ip: '127.0.0.1' },
      { method: 'POST', status_code: 403, user_id: null, error: 'Invalid svc apikey' },
    ])
    expect(of('/wp-login.php')).toMatchObject([{ method: 'GET', status_code: 404, error: 'Not found' }])
    expect(of('/events')).toMatchObject([{ method: 'GET', status_code: 401 }])
    expect(of('/traffic/api/logs'), 'who reads the log does not fill it').toEqual([])
  })

  it('finds rows by their fields, and counts them', async () => {
    expect((await requests('--errors')).every(({ status_code: code }) => code >= 400)).toBe(true)
    expect(await requests('--search WP-LOGIN')).toHaveLength(1)
    expect(await requests('--status 403 --method post --user nobody')).toEqual([])
    const stats = await desk.terminal.json<{ name: string; total: number }[]>('log traffic --stats')
    expect(stats.find(({ name }) => name === 'placeorder')).toMatchObject({ total: 2, errors: 1 })
    const csv = (await desk.terminal.svc('log traffic --search wp-login -o csv')).stdout
    expect(csv).toContain('/wp-login.php,404')
  })

  it('holds no credential of any request', async () => {
    const { daemon } = desk
    const hook = await webhookFlow(daemon, chain('Canary', ['webhookTrigger'], ['log', { message: 'x' }]))
    await fire(daemon, hook)
    await daemon.send(`/flow/webhok/${hook.token}`)
    await daemon.send(`/api/v1/ticker/SBIN?apikey=${daemon.apikey}&interval=D&from=2026-11-01&to=2026-11-02`)
    await daemon.send(`/api/v1/nowhere/${daemon.apikey}`)
    await daemon.send(`/nowhere?token=${daemon.token}`)
    const paths = (await requests()).map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining([
        '/flow/webhook/<redacted>',
        '/flow/webhok/<redacted>',
        '/api/v1/ticker/SBIN',
        '/api/v1/nowhere/<redacted>',
        '/nowhere',
      ]),
    )
    await daemon.signal('SIGTERM')
    const file = readFileSync(join(daemon.home, 'logs.db'), 'latin1')
    expect(
      [hook.token, hook.secret, daemon.apikey, daemon.token].filter((secret) => file.includes(secret)),
    ).toEqual([])
    await daemon.start()
  })
})

describe('svc log latency', () => {
  it('has one row for an order by the API, by approval and by a workflow; none for a queued one', async () => {
    const { daemon } = desk
    const before = (await orders()).length
    const { body } = await daemon.place()
    expect(await orders()).toHaveLength(before + 1)
    expect((await orders()).at(-1)).toMatchObject({
      order_type: 'PLACE',
      status: 'SUCCESS',
      source: 'api',
      order_id: body.orderid,
    })

    await daemon.orderMode('semi_auto')
    const queued = await queueOne(daemon)
    expect(await orders()).toHaveLength(before + 1)
    await daemon.request('POST', `/action-center/approve/${queued}`)
    await daemon.orderMode('auto')
    expect(await orders()).toHaveLength(before + 2)
    expect((await orders()).at(-1)).toMatchObject({ order_type: 'PLACE', source: 'approval' })

    const hook = await webhookFlow(daemon, chain('Timed', ['webhookTrigger'], order('timed')))
    await fire(daemon, hook)
    await eventually(async () => (await runsOf(daemon, hook.id))[0]?.status === 'completed', 'the run ends')
    expect(await orders()).toHaveLength(before + 3)
    expect((await orders()).at(-1)).toMatchObject({ order_type: 'PLACE', source: 'flow' })
  })

  it('has the data calls too, which count in no statistics', async () => {
    const { daemon } = desk
    const counted = async () => {
      const rows = await desk.terminal.json<{ name: string; total_orders: number }[]>('log latency --stats')
      return rows[0]?.total_orders
    }
    const before = await counted()
    expect((await daemon.api('quotes', { symbol: 'SBIN', exchange: 'NSE' })).status).toBe(200)
    expect(await timings('--type quotes')).toMatchObject([
      { order_type: 'QUOTES', source: null, status: 'SUCCESS' },
    ])
    expect(await counted()).toBe(before)

    const { stdout } = await desk.terminal.svc(
      'log latency --type quotes -o table --columns order_type,order_id',
    )
    expect(stdout).toMatch(/^TYPE +ORDER ID\nQUOTES +-\n$/)
    expect(await timings('--type quotes')).toMatchObject([{ order_id: 'unknown' }])
  })

  it('draws the round trips to each broker on a terminal', async () => {
    const { stdout } = await desk.terminal.svc('log latency --chart', { tty: 'stdout' })
    expect(stdout).toMatch(/^sandbox: .* ms on average$/m)
    expect(stdout).toMatch(/ms ┤█/)
    expect(stdout).toMatch(/p50 .*p99/)
  })
})

/** Asks for a WebSocket without a credential. */
function upgrade(url: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url)
    socket.on('error', () => resolve())
    socket.on('open', () => {
      socket.close()
      resolve()
    })
  })
}
