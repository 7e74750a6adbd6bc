import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tempFile } from '../support/temp.js'
import { APPROVAL, ORDER } from './support/bodies.js'
import { KEPT_KEY, signedIn } from './support/desk.js'
import type { Reply } from './support/fake-daemon.js'

const ROUTE = 'POST /api/v1/placeorder'
const MARKET = { strategy: 'cli', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 }

describe('svc order place: the request body', () => {
  const lines: [string, object][] = [
    ['SBIN NSE BUY 10', MARKET],
    ['sbin nse buy 10', MARKET],
    [
      'SBIN NSE BUY 10 --type LIMIT --price 812.5 --product CNC --strategy demo',
      { ...MARKET, pricetype: 'LIMIT', price: 812.5, product: 'CNC', strategy: 'demo' },
    ],
    [
      '--type sl --trigger 790 --price 789.5 SBIN NSE SELL 5',
      { ...MARKET, action: 'SELL', quantity: 5, pricetype: 'SL', price: 789.5, trigger_price: 790 },
    ],
    ['--symbol SBIN --exchange NSE --action BUY --quantity 10', MARKET],
    ['SBIN NSE BUY 10 --disclosed 2', { ...MARKET, disclosed_quantity: 2 }],
    ['SBIN NSE BUY ten', { ...MARKET, quantity: 'ten' }],
    ['M&M NSE BUY 1', { ...MARKET, symbol: 'M&M', quantity: 1 }],
  ]
  it.each(lines)('%s', async (line, body) => {
    const { daemon, terminal } = await signedIn()
    const { exit } = await terminal.svc(`order place ${line}`)
    expect(exit).toBe(0)
    expect(daemon.last(ROUTE).body).toEqual({ ...body, apikey: KEPT_KEY })
  })

  it('reads the order from a file, and options win over its fields', async () => {
    const { daemon, terminal } = await signedIn()
    const file = tempFile('order.json')
    writeFileSync(file, JSON.stringify({ ...MARKET, price: '812.50', strategy: 'file' }))
    await terminal.svc(`order place --from ${file} --price 800`)
    expect(daemon.last(ROUTE).body).toEqual({ ...MARKET, strategy: 'file', price: 800, apikey: KEPT_KEY })
  })

  it.each(['order place -', 'order place --from -'])('%s reads the order from stdin', async (line) => {
    const { daemon, terminal } = await signedIn({ stdin: JSON.stringify(MARKET) })
    expect((await terminal.svc(line)).exit).toBe(0)
    expect(daemon.last(ROUTE).body).toEqual({ ...MARKET, apikey: KEPT_KEY })
  })

  it('takes the key in the file unless one is given explicitly', async () => {
    const { daemon, terminal } = await signedIn({ stdin: JSON.stringify({ ...MARKET, apikey: 'in-file' }) })
    await terminal.svc('order place -')
    expect(daemon.last(ROUTE).body).toMatchObject({ apikey: 'in-file' })
    await terminal.svc('order place -', { env: { SVC_API_KEY: 'explicit' } })
    expect(daemon.last(ROUTE).body).toMatchObject({ apikey: 'explicit' })
  })

  const wrong: [string, string][] = [
    ['order place', 'The order has no symbol, no exchange, no action, no quantity.'],
    ['order place SBIN NSE BUY', 'The order has no quantity.'],
    ['order place SBIN NSE BUY 10 extra', 'What is "extra"?'],
    ['order place SBIN --from x.json', 'not both'],
    ['order place --from /nowhere/x.json', 'cannot be read'],
    ['order place - ', 'does not hold one JSON object'],
  ]
  it.each(wrong)('%s is wrong usage and sends nothing', async (line, message) => {
    const { daemon, terminal } = await signedIn()
    const { exit, stderr, stdout } = await terminal.svc(line)
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(daemon.received).toEqual([])
  })
})

describe('svc order place: idempotency key', () => {
  it('makes one for every order and says it on stderr; with -q only when it is needed', async () => {
    const { daemon, terminal } = await signedIn()
    const first = await terminal.svc('order place SBIN NSE BUY 10 -q')
    const key = daemon.last(ROUTE).headers['idempotency-key']
    expect(first).toEqual({ exit: 0, stdout: '25112100000001\n', stderr: '' })
    const second = await terminal.svc('order place SBIN NSE BUY 10')
    const other = daemon.last(ROUTE).headers['idempotency-key']
    expect(other).not.toBe(key)
    expect(second.stderr).toContain(`idempotency key: ${other}\n`)
    daemon.on(ROUTE, 'drop')
    const broken = await terminal.svc('order place SBIN NSE BUY 10 -q')
    expect(broken.stderr).toContain(`--idempotency-key ${daemon.last(ROUTE).headers['idempotency-key']},`)
  })

  it('sends the one given', async () => {
    const { daemon, terminal } = await signedIn()
    await terminal.svc('order place SBIN NSE BUY 10 --idempotency-key again-1')
    expect(daemon.last(ROUTE).headers['idempotency-key']).toBe('again-1')
  })
})

describe('svc order place: no answer', () => {
  it('a timeout is exit 8 and tells how to repeat it safely', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on(ROUTE, 'hang')
    const ran = await terminal.svc('order place SBIN NSE BUY 10 --timeout 100ms --idempotency-key k1')
    expect(ran.exit).toBe(8)
    expect(ran.stderr).toContain('may have been carried out. Repeat it safely with --idempotency-key k1')
    expect(ran.stderr).toMatch(/or look: svc order journal \(simulated: svc order list\)\n$/)
  })

  it('a connection that breaks after the request is exit 8, never repeated by itself', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on(ROUTE, 'drop')
    expect((await terminal.svc('order place SBIN NSE BUY 10')).exit).toBe(8)
    expect(daemon.received).toHaveLength(1)
  })

  it('an unknown outcome names the reference to follow', async () => {
    const { daemon, terminal } = await signedIn()
    const body = { status: 'error', message: 'No answer from the broker', order_ref: 'ref9' }
    daemon.on(ROUTE, { status: 504, code: 'outcome_unknown', body })
    const ran = await terminal.svc('order place SBIN NSE BUY 10')
    expect(ran.exit).toBe(8)
    expect(ran.stderr).toContain('Do not retry blindly. Follow it: svc order status ref9')
  })

  it('nobody there is exit 7', async () => {
    const { daemon, terminal } = await signedIn()
    await daemon.stop()
    const ran = await terminal.svc('order place SBIN NSE BUY 10')
    expect(ran.exit).toBe(7)
    expect(ran.stderr).toContain('Start it: svc up --detach')
  })

  it('Ctrl-C is exit 130 and says that the order may have been placed', async () => {
    const { daemon, terminal } = await signedIn()
    const controller = new AbortController()
    daemon.on(ROUTE, () => {
      controller.abort()
      return 'hang'
    })
    const ran = await terminal.svc('order place SBIN NSE BUY 10', { interrupts: controller.signal })
    expect(ran.exit).toBe(130)
    expect(ran.stderr).toContain('may have been carried out')
  })
})

describe('svc order place: output that cannot be written', () => {
  const outputFails = new Error('ENOSPC: no space left on device, write')

  it('is exit 8 after the order was sent, and names it', async () => {
    const { terminal } = await signedIn({ outputFails })
    const { exit, stderr } = await terminal.svc('order place SBIN NSE BUY 3 --idempotency-key k')
    expect(exit).toBe(8)
    expect(stderr.split('\n').at(-2)).toBe(
      'error: The output could not be written (ENOSPC: no space left on device, write), but the request was sent: ' +
        'do not send it again. Look: svc order status 25112100000001',
    )
  })

  it('names the approval of an order that was queued', async () => {
    const { daemon, terminal } = await signedIn({ outputFails })
    daemon.on(ROUTE, { body: { status: 'success', mode: 'semi_auto', pending_order_id: 42 } })
    const { exit, stderr } = await terminal.svc('order place SBIN NSE BUY 3')
    expect(exit).toBe(8)
    expect(stderr).toContain('Look: svc approval show 42')
  })

  it('names every order of a batch, whatever became of the others', async () => {
    const { daemon, terminal } = await signedIn({ outputFails })
    const results = [
      { status: 'success', orderid: '1' },
      { status: 'error' },
      { status: 'success', orderid: '2' },
    ]
    daemon.on('POST /api/v1/splitorder', { body: { status: 'success', results } })
    const { exit, stderr } = await terminal.svc('order split SBIN NSE BUY 3 --split-size 1')
    expect(exit).toBe(8)
    expect(stderr).toContain('Look: svc order status 1; svc order status 2')
  })

  it('is exit 1 where nothing was sent', async () => {
    const { terminal } = await signedIn({ outputFails })
    const { exit, stderr } = await terminal.svc('order place SBIN NSE BUY 3 --dry-run')
    expect([exit, stderr.includes('sent: do not')]).toEqual([1, false])
  })
})

describe('svc order place --dry-run', () => {
  const preview = {
    status: 'success',
    dry_run: true,
    mode: 'live',
    order: {
      symbol: 'SBIN',
      exchange: 'NSE',
      action: 'BUY',
      quantity: 10,
      pricetype: 'MARKET',
      product: 'MIS',
    },
    last_price: 812,
    value: 8120,
    margin_required: 1624,
    checks: [{ rule: 'max_order_value', ok: true }],
  }

  it('asks with X-Dry-Run and shows mode, margin and checks', async () => {
    const { daemon, terminal } = await signedIn({ tty: true, env: { NO_COLOR: '1' } })
    daemon.on(ROUTE, { body: preview })
    const { exit, stdout } = await terminal.svc('order place SBIN NSE BUY 10 --dry-run')
    expect(exit).toBe(0)
    expect(daemon.last(ROUTE).headers).toMatchObject({ 'x-dry-run': '1' })
    expect(daemon.last(ROUTE).headers).not.toHaveProperty('idempotency-key')
    expect(stdout).toMatch(/MARGIN ₹ +1,624\.00/)
    expect(stdout).toMatch(/ok +max_order_value/)
  })

  it('is exit 5 when a check would refuse the order', async () => {
    const { daemon, terminal } = await signedIn()
    const checks = [{ rule: 'max_order_value', ok: false, message: 'Too large' }]
    daemon.on(ROUTE, { body: { ...preview, checks } })
    const { exit, stdout } = await terminal.svc('order place SBIN NSE BUY 10 -n --json')
    expect(exit).toBe(5)
    expect(JSON.parse(stdout)).toEqual({ ...preview, checks })
  })
})

describe('svc order place --wait', () => {
  const QUEUED = { status: 'success', message: 'queued', mode: 'semi_auto', pending_order_id: 42 }
  const ends: [string, number][] = [
    ['complete', 0],
    ['rejected', 5],
    ['cancelled', 5],
  ]
  it.each(ends)('stays until the order is %s: exit %i', async (status, exit) => {
    const { daemon, terminal } = await signedIn()
    const statuses = ['open', 'trigger pending', status]
    daemon.on('POST /api/v1/orderstatus', () => ({
      body: { status: 'success', data: { ...ORDER, order_status: statuses.shift() } },
    }))
    const ran = await terminal.svc('order place SBIN NSE BUY 10 --wait')
    expect(ran.exit).toBe(exit)
    expect(ran.stdout).toContain(`order_status\t${status}\n`)
    expect(terminal.pauses).toEqual([100, 200])
  })

  it('with --json prints one document: the order as it ended', async () => {
    const { terminal } = await signedIn()
    const { stdout } = await terminal.svc('order place SBIN NSE BUY 10 --wait --json')
    expect(JSON.parse(stdout)).toMatchObject({
      orderid: ORDER.orderid,
      order_status: 'complete',
      mode: 'analyze',
    })
  })

  it('follows an approval to its order', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on(ROUTE, { body: QUEUED })
    const rows = [APPROVAL, { ...APPROVAL, status: 'approved', broker_order_id: '77' }]
    daemon.on('GET /action-center/api/data', () => ({
      body: { status: 'success', data: { orders: [rows.shift()] } },
    }))
    expect((await terminal.svc('order place SBIN NSE BUY 10 --wait')).exit).toBe(0)
    expect(daemon.last('POST /api/v1/orderstatus').body).toMatchObject({ orderid: '77' })
  })

  const refusals: [string, object, string][] = [
    ['rejected', { status: 'rejected', rejected_reason: 'too large' }, 'was rejected: too large'],
    ['expired', { status: 'expired' }, 'ended as expired'],
    [
      'refused at execution',
      { status: 'approved', broker_status: 'rejected', execution_error: 'no margin' },
      'no margin',
    ],
  ]
  it.each(refusals)('is exit 5 when the approval is %s', async (_name, change, message) => {
    const { daemon, terminal } = await signedIn()
    daemon.on(ROUTE, { body: QUEUED })
    const orders = [{ ...APPROVAL, ...change }]
    daemon.on('GET /action-center/api/data', { body: { status: 'success', data: { orders } } })
    const ran = await terminal.svc('order place SBIN NSE BUY 10 --wait')
    expect(ran.exit).toBe(5)
    expect(ran.stderr).toContain(message)
  })

  it('follows an order in doubt by its reference', async () => {
    const { daemon, terminal } = await signedIn()
    const body = { status: 'error', message: 'no answer', order_ref: 'ref9' }
    daemon.on(ROUTE, { status: 504, code: 'outcome_unknown', body })
    expect((await terminal.svc('order place SBIN NSE BUY 10 --wait')).exit).toBe(0)
    expect(daemon.last('POST /api/v1/orderstatus').body).toMatchObject({ orderid: 'ref9' })
  })

  it('gives up after --wait-timeout: the order as it was placed, and where to look', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on('POST /api/v1/orderstatus', { body: { status: 'success', data: ORDER } })
    const ran = await terminal.svc('order place SBIN NSE BUY 10 --wait --wait-timeout 5s')
    expect(ran.exit).toBe(8)
    expect(ran.stdout).toContain('orderid\t25112100000001\n')
    expect(ran.stderr).toContain('within --wait-timeout. Look: svc order status 25112100000001')
  })

  it('gives up on one that waits for approval with the id of the approval', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on(ROUTE, { body: QUEUED })
    const line = 'order place SBIN NSE BUY 10 --wait --wait-timeout 5s'
    const ran = await terminal.svc(`${line} --json`)
    expect(ran.exit).toBe(8)
    expect(JSON.parse(ran.stdout)).toEqual(QUEUED)
    expect(JSON.parse(ran.stderr.split('\n').at(-2) ?? '')).toMatchObject({
      code: 'timeout',
      hint: 'Look: svc approval show 42',
    })
    expect((await terminal.svc(`${line} -q`)).stdout).toBe('42\n')
  })

  it.each<[string, Reply]>([
    ['the daemon goes away', 'drop'],
    ['the daemon fails', { status: 500, code: 'internal', body: { message: 'Oops' } }],
    ['the key is revoked', { status: 403, code: 'invalid_key', body: { message: 'Invalid key' } }],
  ])('is exit 8 when %s while it waits: the order was placed', async (_what, reply) => {
    const { daemon, terminal } = await signedIn()
    daemon.on('POST /api/v1/orderstatus', reply)
    const ran = await terminal.svc('order place SBIN NSE BUY 10 --wait')
    expect(ran.exit).toBe(8)
    expect(ran.stdout).toContain('orderid\t25112100000001\n')
    expect(ran.stderr).toContain('Look: svc order status 25112100000001')
  })

  it('Ctrl-C while it waits is 130, with the order that was placed', async () => {
    const { daemon, terminal } = await signedIn()
    const controller = new AbortController()
    daemon.on('POST /api/v1/orderstatus', () => {
      controller.abort()
      return 'hang'
    })
    const ran = await terminal.svc('order place SBIN NSE BUY 10 --wait', { interrupts: controller.signal })
    expect(ran.exit).toBe(130)
    expect(ran.stdout).toContain('orderid\t25112100000001\n')
  })
})
