import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { tempFile } from '../../support/files/temp.js'
import type { Running } from '../../support/terminal.js'
import { freeUrl } from '../../support/traffic/gateway.js'

const ROUTE = 'POST /api/v1/placeorder'
const PLACE = 'order place SBIN NSE BUY 10'
const MARKET = { strategy: 'cli', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 }

const desk = commandDesk()
/** A price too low to fill. */
let low = 0
beforeAll(async () => {
  low = await desk.daemon.priceAt(0.95)
})
const waiting = () => `${PLACE} --type LIMIT --price ${low} --product CNC`
const svc: typeof desk.terminal.svc = (line, options) => desk.terminal.svc(line, options)
const sent = () => desk.gateway.last(ROUTE)
const orders = async () =>
  (await desk.daemon.api<{ data: { orders: { orderid: string }[] } }>('orderbook')).body.data.orders
const printed = (stdout: string, field: string) =>
  new RegExp(`^${field}\\t(.*)$`, 'm').exec(stdout)?.[1] ?? ''

describe('the order that svc order place sends', () => {
  const lines: [string, object][] = [
    ['SBIN NSE BUY 10', MARKET],
    ['sbin nse buy 10', MARKET],
    [
      '--symbol SBIN --exchange NSE --action BUY --quantity 10 --disclosed 2',
      { ...MARKET, disclosed_quantity: 2 },
    ],
    ['M&M NSE BUY 1', { ...MARKET, symbol: 'M&M', quantity: 1 }],
  ]
  it.each(lines)('%s', (line, body) => expectSent(line, body))

  it('with a limit', () =>
    expectSent(`SBIN NSE BUY 10 --type LIMIT --price ${low + 0.5} --product CNC --strategy demo`, {
      ...MARKET,
      pricetype: 'LIMIT',
      price: low + 0.5,
      product: 'CNC',
      strategy: 'demo',
    }))

  it('with a stop and its limit', () =>
    expectSent(`--type sl --trigger ${low} --price ${low - 0.5} SBIN NSE SELL 5`, {
      ...MARKET,
      action: 'SELL',
      quantity: 5,
      pricetype: 'SL',
      price: low - 0.5,
      trigger_price: low,
    }))

  async function expectSent(line: string, body: object): Promise<void> {
    const { exit, stdout } = await svc(`order place ${line}`)
    expect(exit).toBe(0)
    expect(sent().body).toEqual({ ...body, apikey: desk.daemon.apikey })
    const { data } = (
      await desk.daemon.api('orderstatus', { strategy: 'cli', orderid: printed(stdout, 'orderid') })
    ).body
    const { symbol, action, quantity } = { ...MARKET, ...body }
    expect(data).toMatchObject({ symbol, exchange: 'NSE', action, quantity })
  }

  it.each([
    [PLACE, '30'],
    [`--timeout 3s ${PLACE}`, '3'],
  ])('says how long it waits, so that the daemon sends nothing later: %s', async (line, seconds) => {
    expect((await svc(line)).exit).toBe(0)
    expect(sent().headers['x-request-timeout']).toBe(seconds)
  })

  it.each([
    ['order place SBIN NSE BUY ten', 'error: quantity: Not a valid number.\n'],
    ['order place SBIN NSE BUY 0x10', 'error: quantity: Not a valid number.\n'],
    ['order place SBIN NSE BUY 10 --type LIMIT --price low', 'error: --price: Not a valid number.\n'],
    ['order place SBIN NSE HOLD 10', 'error: action: Must be one of: BUY, SELL.\n'],
    [
      'order place SBIN NSE BUY 10 --type LIMITT',
      'error: --type: Must be one of: MARKET, LIMIT, SL, SL-M.\n',
    ],
  ])('is none with a word that cannot be a value, and no key is printed: %s', async (line, said) => {
    expect(await svc(line)).toMatchObject({ exit: 2, stderr: said })
    expect(desk.gateway.received).toEqual([])
  })

  it('comes from a file, and options override its fields', async () => {
    const file = tempFile('order.json')
    writeFileSync(file, JSON.stringify({ ...MARKET, pricetype: 'LIMIT', price: '1.50', strategy: 'file' }))
    expect((await svc(`order place --from ${file} --price ${low}`)).exit).toBe(0)
    expect(sent().body).toEqual({
      ...MARKET,
      pricetype: 'LIMIT',
      strategy: 'file',
      price: low,
      apikey: desk.daemon.apikey,
    })
  })

  it.each(['order place -', 'order place --from -'])('comes from stdin: %s', async (line) => {
    expect((await svc(line, { stdin: JSON.stringify(MARKET) })).exit).toBe(0)
    expect(sent().body).toEqual({ ...MARKET, apikey: desk.daemon.apikey })
  })

  it('has the key of the file unless one is given explicitly', async () => {
    const stdin = JSON.stringify({ ...MARKET, apikey: 'in-file' })
    const { exit, stderr } = await svc('order place -', { stdin })
    expect([exit, stderr]).toEqual([3, expect.stringContaining('Invalid svc apikey')])
    expect(sent().body).toMatchObject({ apikey: 'in-file' })
    const given = await svc('order place -', { stdin, env: { SVC_API_KEY: desk.daemon.apikey } })
    expect(given.exit).toBe(0)
  })

  const wrong: [string, string][] = [
    ['order place', 'The order has no symbol, no exchange, no action, no quantity.'],
    ['order place SBIN NSE BUY', 'The order has no quantity.'],
    ['order place SBIN NSE BUY 10 extra', 'The word "extra" is not expected.'],
    ['order place SBIN --from x.json', 'not both'],
    ['order place --from /nowhere/x.json', 'cannot be read'],
    ['order place - ', 'must contain one object, as JSON or YAML'],
  ]
  it.each(wrong)('%s is wrong usage and sends nothing', async (line, message) => {
    const { exit, stderr, stdout } = await svc(line)
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(desk.gateway.received).toEqual([])
  })
})

describe('the price type of an order that names none', () => {
  it.each([
    ['LIMIT', () => ({ price: low })],
    ['SL-M', () => ({ trigger_price: low })],
    ['SL', () => ({ price: low - 1, trigger_price: low })],
  ] as const)('is what its prices say: %s', async (pricetype, terms) => {
    const options = Object.entries(terms()).map(([name, price]) => `--${name.replace('_price', '')} ${price}`)
    const { exit, stderr } = await svc(`order place SBIN NSE SELL 10 ${options.join(' ')}`)
    const note = `The order is ${pricetype}: ${options.join(' and ')} without --type.`
    expect([exit, stderr]).toEqual([0, expect.stringContaining(note)])
    expect(sent().body).toMatchObject({ pricetype, ...terms() })
  })

  it('is the same for an order from a file, a basket, and legs', async () => {
    const limit = { ...MARKET, price: low }
    const placed = await svc('order place -', { stdin: JSON.stringify(limit) })
    expect(placed.stderr).toContain(`The order is LIMIT: price ${low} without pricetype.`)
    expect(sent().body).toMatchObject({ pricetype: 'LIMIT', price: low })
    const { strategy: _, ...line } = limit
    const basket = await svc('order basket -', {
      stdin: JSON.stringify([{ ...line, pricetype: 'MARKET', price: 0 }, line]),
    })
    expect([basket.exit, basket.stderr]).toEqual([
      0,
      expect.stringContaining(`Order 2 is LIMIT: price ${low}`),
    ])
    const { body } = desk.gateway.last('POST /api/v1/basketorder')
    expect(body).toMatchObject({ orders: [{ price: 0 }, { price: low, pricetype: 'LIMIT' }] })
  })

  const type = { ...MARKET, pricetype: 'MARKET', price: 900 }
  const contradictions: [string, string, object?][] = [
    [`${PLACE} --type MARKET --price 900`, '--price 900 contradicts --type MARKET'],
    [`${PLACE} --type LIMIT --price 900 --trigger 890`, '--trigger 890 contradicts --type LIMIT'],
    [`${PLACE} --type LIMIT --trigger 890`, '--trigger 890 contradicts --type LIMIT'],
    [`${PLACE} --type SL-M --price 900 --trigger 890`, '--price 900 contradicts --type SL-M'],
    ['order smart SBIN NSE BUY 0 --position-size 5 --type MARKET --price 900', '--price 900 contradicts'],
    ['order split SBIN NSE BUY 10 --split-size 5 --type MARKET --price 900', '--price 900 contradicts'],
    ['order margin SBIN NSE BUY 10 --type MARKET --price 900', '--price 900 contradicts --type MARKET'],
    [
      'order gtt place SBIN NSE BUY 10 --product CNC --type MARKET --price 800 --trigger-sl 805',
      '--price contradicts --type MARKET',
    ],
    ['order place -', 'price 900 contradicts pricetype MARKET', type],
    ['order basket -', 'Order 1: price 900 contradicts pricetype MARKET', [type]],
    ['order options-multi -', 'Leg 1: price 900 contradicts pricetype MARKET', { legs: [type] }],
  ]
  it.each(contradictions)('%s contradicts itself, and sends nothing', async (line, message, file) => {
    const { exit, stderr } = await svc(line, file === undefined ? {} : { stdin: JSON.stringify(file) })
    expect([exit, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(desk.gateway.received).toEqual([])
  })

  it('a changed order keeps its own, and takes no price that it does not have', async () => {
    const id = printed((await svc(waiting())).stdout, 'orderid')
    const refused = await svc(`order modify ${id} --trigger 690`)
    expect([refused.exit, refused.stderr]).toEqual([
      2,
      expect.stringContaining("--trigger 690 contradicts the order's type LIMIT"),
    ])
    expect((await svc(`order modify ${id} --price ${low + 1}`)).exit).toBe(0)
    expect(desk.gateway.last('POST /api/v1/modifyorder').body).toMatchObject({
      pricetype: 'LIMIT',
      price: low + 1,
    })
  })

  it('of the public API is MARKET; a dry run says that the price is ignored', async () => {
    const order = { ...MARKET, price: 900, apikey: desk.daemon.apikey }
    const { body } = await desk.daemon.request('POST', '/api/v1/placeorder', order, { 'x-dry-run': '1' })
    expect(body).toMatchObject({
      order: { pricetype: 'MARKET' },
      notes: ['price 900 is ignored: a MARKET order has no limit price.'],
    })
  })
})

describe('the idempotency key of svc order place', () => {
  it('is generated for every order and printed on stderr; with -q only after an error that needs it', async () => {
    const first = await svc(`${PLACE} -q`)
    const key = sent().headers['idempotency-key']
    expect(first).toEqual({ exit: 0, stdout: expect.stringMatching(/^order\/\d+\n$/), stderr: '' })
    const second = await svc(PLACE)
    const other = sent().headers['idempotency-key']
    expect(other).not.toBe(key)
    expect(second.stderr).toContain(`idempotency key: ${other}\n`)
  })

  it('makes a retry after a lost answer return the same order', async () => {
    desk.gateway.on(ROUTE, 'lost')
    const before = await orders()
    const broken = await svc(`${PLACE} -q`)
    expect(broken).toMatchObject({ exit: 8, stdout: '' })
    const key = String(sent().headers['idempotency-key'])
    expect(broken.stderr).toContain(
      `may have executed the request. Repeat it safely with --idempotency-key ${key},`,
    )
    const attempts = desk.gateway.received.filter(({ path }) => path === '/api/v1/placeorder')
    expect(attempts, 'never repeated by itself').toHaveLength(1)

    desk.gateway.reset()
    const again = await svc([...`${PLACE} -q --idempotency-key`.split(' '), key])
    expect(again.exit).toBe(0)
    expect(sent().headers['idempotency-key']).toBe(key)
    const known = new Set(before.map(({ orderid }) => orderid))
    const placed = (await orders()).filter(({ orderid }) => !known.has(orderid))
    expect(placed.map(({ orderid }) => `order/${orderid}`)).toEqual([again.stdout.trim()])
  })
})

describe('svc order place without an answer', () => {
  it('is exit 8 after a timeout, and prints the command for a safe retry', async () => {
    desk.gateway.on(ROUTE, 'withheld')
    const { exit, stderr } = await svc(`${PLACE} --timeout 2s --idempotency-key k1`)
    expect(exit).toBe(8)
    expect(stderr).toContain('may have executed the request. Repeat it safely with --idempotency-key k1')
    expect(stderr).toMatch(/or check: svc order journal \(simulated: svc order list\)\n$/)
  })

  it('is exit 130 after Ctrl-C, and says that the order may have been placed', async () => {
    desk.gateway.on(ROUTE, 'withheld')
    const placing = desk.terminal.start(PLACE)
    const arrived = () => desk.gateway.received.filter(({ path }) => path === '/api/v1/placeorder').length
    await expect.poll(arrived).toBe(1)
    placing.interrupt()
    const { exit, stderr } = await placing.ended
    expect(exit).toBe(130)
    expect(stderr).toContain('may have executed the request')
  })
})

describe('svc order place whose output cannot be written', () => {
  /** Runs the command in the shell, with its output redirected. */
  const placed = (redirected: string, line = PLACE) => desk.terminal.shell(`${line} ${redirected}`)

  /** Returns the orders that an error message tells the user to check. */
  const named = (stderr: string) => [...stderr.matchAll(/svc order status (\d+)/g)].map(([, id]) => id)
  const ids = async () => new Set((await orders()).map(({ orderid }) => orderid))

  it('is exit 8 after the order was sent, and names it', async () => {
    const before = await ids()
    const { exit, stderr } = await placed('--idempotency-key k2 > /dev/full')
    const made = [...(await ids())].filter((id) => !before.has(id))
    expect([exit, made.length]).toEqual([8, 1])
    expect(stderr.split('\n').at(-2)).toBe(
      'error: The output could not be written (ENOSPC: no space left on device, write), but the request was already sent: ' +
        `do not send it again. Check with: svc order status ${made[0]}`,
    )
    expect(stderr).not.toContain('    at ')
  })

  it('names every order of a batch', async () => {
    const before = await ids()
    const { exit, stderr } = await placed('> /dev/full', 'order split SBIN NSE BUY 2 --split-size 1')
    const made = [...(await ids())].filter((id) => !before.has(id))
    expect([exit, made.length]).toEqual([8, 2])
    expect(named(stderr).sort()).toEqual(made.sort())
  })

  it('is exit 1 when nothing was sent', async () => {
    const { exit, stderr } = await placed('--dry-run > /dev/full')
    expect([exit, stderr.includes('sent: do not')]).toEqual([1, false])
  })

  it('is exit 0 when stderr or a closed pipe is the cause', async () => {
    const before = (await orders()).length
    expect(await placed('2> /dev/full')).toMatchObject({ exit: 0, stderr: '' })
    expect(await placed('2>&1 | true')).toMatchObject({ exit: 0 })
    expect(await orders()).toHaveLength(before + 2)
  })
})

describe('svc order place --dry-run', () => {
  beforeAll(() => desk.daemon.request('PUT', '/risk', { max_order_value: 100_000 }))
  afterAll(() => desk.daemon.request('PUT', '/risk', { max_order_value: null }))

  it('shows mode, margin and checks, and sends no order', async () => {
    const before = await orders()
    const { exit, stdout } = await svc(`order place SBIN NSE BUY 10 --dry-run --type LIMIT --price ${low}`, {
      tty: 'stdout',
      env: { NO_COLOR: '1' },
    })
    expect(exit).toBe(0)
    expect(sent().headers).toMatchObject({ 'x-dry-run': '1' })
    expect(sent().headers).not.toHaveProperty('idempotency-key')
    const rupees = (amount: number) => `₹ +${amount.toLocaleString('en-IN', { minimumFractionDigits: 2 })}`
    expect(stdout).toMatch(new RegExp(`VALUE ${rupees(low * 10)}`))
    expect(stdout).toMatch(new RegExp(`MARGIN ${rupees(low * 2)}`))
    expect(stdout).toMatch(/ok +max_order_value/)
    expect(await orders()).toEqual(before)
  })

  it('is exit 5 when a check would refuse the order', async () => {
    const { exit, stdout } = await svc('order place SBIN NSE BUY 1000 -n --json')
    expect(exit).toBe(5)
    expect(JSON.parse(stdout)).toMatchObject({
      dry_run: true,
      mode: 'analyze',
      checks: expect.arrayContaining([expect.objectContaining({ rule: 'max_order_value', ok: false })]),
    })
  })
})

describe('svc order place --wait', () => {
  it('ends when the order has lapsed, with the exit status of an unknown outcome', async () => {
    const data = { order_ref: 'S0', state: 'lapsed', symbol: 'SBIN' }
    const text = JSON.stringify({ status: 'success', data })
    desk.gateway.on('POST /api/v1/orderstatus', {
      status: 200,
      headers: { 'content-type': 'application/json', 'x-request-id': 'r' },
      text,
    })
    expect((await svc(`${waiting()} --wait --wait-timeout 20s`)).exit).toBe(8)
  })

  it('waits for the fill and prints one document, the final order', async () => {
    const { exit, stdout } = await svc(`${PLACE} --wait --json`)
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ order_status: 'complete', quantity: 10, mode: 'analyze' })
  })

  it('is exit 5 when the order is cancelled', async () => {
    const known = new Set((await orders()).map(({ orderid }) => orderid))
    const placing = desk.terminal.start(`${waiting()} --wait`)
    await expect.poll(async () => (await orders()).length).toBe(known.size + 1)
    const [order] = (await orders()).filter(({ orderid }) => !known.has(orderid))
    await desk.daemon.api('cancelorder', { strategy: 'cli', orderid: order?.orderid })
    const { exit, stdout } = await placing.ended
    expect([exit, printed(stdout, 'order_status')]).toEqual([5, 'cancelled'])
  })

  it('ends after --wait-timeout with the order as placed and the command to check it', async () => {
    const { exit, stdout, stderr } = await svc(`${waiting()} --wait --wait-timeout 3s`)
    const orderid = printed(stdout, 'orderid')
    expect([exit, orderid]).toEqual([8, expect.stringMatching(/^\d+$/)])
    expect(stderr).toContain(
      `Order ${orderid} is still open at the end of --wait-timeout. Check it with: svc order status ${orderid}`,
    )
  })

  it('with --wait-timeout retries a failed read', async () => {
    let reads = 0
    desk.gateway.on('POST /api/v1/orderstatus', () => {
      reads += 1
      return reads === 1 ? { status: 502, text: '{"status":"error","message":"Oops"}' } : 'passes'
    })
    const { exit, stdout } = await svc(`${PLACE} --wait --wait-timeout 15s --json`)
    expect([exit, JSON.parse(stdout).order_status]).toEqual([0, 'complete'])
    expect(reads).toBeGreaterThan(1)
  })

  it.each([
    ['the daemon goes away', 'lost' as const],
    ['the daemon fails', { status: 500, text: '{"status":"error","message":"Oops"}' }],
  ])('is exit 8 when %s while it waits: the order was placed', async (_what, reply) => {
    desk.gateway.on('POST /api/v1/orderstatus', reply)
    const { exit, stdout, stderr } = await svc(`${PLACE} --wait`)
    expect(exit).toBe(8)
    expect(stderr).toContain(`Check it with: svc order status ${printed(stdout, 'orderid')}`)
  })

  it('is exit 130 after Ctrl-C during the wait, with the order as placed', async () => {
    const placing = desk.terminal.start(`${waiting()} --wait`)
    const looked = () => desk.gateway.received.some(({ path }) => path === '/api/v1/orderstatus')
    await expect.poll(looked).toBe(true)
    placing.interrupt()
    const { exit, stdout } = await placing.ended
    expect([exit, printed(stdout, 'orderid')]).toEqual([130, expect.stringMatching(/^\d+$/)])
  })
})

describe('svc order place in semi-auto mode', () => {
  beforeAll(() => desk.daemon.analyze(false).then(() => desk.daemon.orderMode('semi_auto')))
  afterAll(() => desk.daemon.orderMode('auto').then(() => desk.daemon.analyze(true)))

  let placing: Running
  let approval: string
  beforeEach(async () => {
    placing = desk.terminal.start(`${PLACE} --wait`)
    const queued = () =>
      desk.daemon.request<{ data: { orders: { id: number }[] } }>('GET', '/action-center/api/data')
    await expect.poll(async () => (await queued()).body.data.orders.length).toBe(1)
    approval = String((await queued()).body.data.orders[0]?.id)
  })
  const decide = (act: string, body: object = {}) =>
    desk.daemon.request('POST', `/action-center/${act}/${approval}`, body)

  it('--wait follows the approval to its order', async () => {
    expect((await decide('approve')).status).toBe(200)
    const { exit, stdout, stderr } = await placing.ended
    expect([exit, printed(stdout, 'order_status')]).toEqual([0, 'complete'])
    expect(stderr).toContain(`Queued for approval. Next: svc approval approve ${approval}`)
  })

  it('--wait is exit 5 when the approval is rejected, with the reason', async () => {
    await decide('reject', { reason: 'too large' })
    const { exit, stderr } = await placing.ended
    expect([exit, stderr]).toEqual([5, expect.stringContaining('was rejected: too large')])
  })

  it('--wait is exit 5 when the approved order is refused at execution', async () => {
    await desk.daemon.request('PUT', '/broker/simulated/faults', [
      { on: ['place'], kind: 'fail', httpStatus: 400, message: 'no margin', times: 1 },
    ])
    await decide('approve')
    const { exit, stderr } = await placing.ended
    expect([exit, stderr]).toEqual([5, expect.stringContaining('no margin')])
  })

  it('--wait ends at its time limit with the id of the approval', async () => {
    placing.interrupt()
    expect((await placing.ended).exit).toBe(130)
    await decide('reject')
    const { exit, stdout, stderr } = await svc(`${PLACE} --wait --wait-timeout 3s --json`)
    expect(exit).toBe(8)
    const { pending_order_id: id, mode } = JSON.parse(stdout)
    expect(mode).toBe('semi_auto')
    expect(JSON.parse(stderr.split('\n').at(-2) ?? '')).toMatchObject({
      code: 'timeout',
      hint: `Check it with: svc approval show ${id}`,
    })
    await desk.daemon.request('POST', `/action-center/reject/${id}`, {})
  })
})

describe('svc order place with an unknown outcome at the broker', () => {
  beforeAll(() => desk.daemon.analyze(false))
  afterAll(() => desk.daemon.analyze(true))

  const faults = (...rules: object[]) => desk.daemon.request('PUT', '/broker/simulated/faults', rules)
  const lost = () =>
    faults(
      { on: ['place'], kind: 'lose_request', times: 1 },
      { on: ['findByTag'], kind: 'fail', httpStatus: 503, message: 'away' },
    )

  it('is exit 8 and prints the reference to follow; --wait waits until the order is settled', async () => {
    await lost()
    const { exit, stderr } = await svc(PLACE)
    expect(exit).toBe(8)
    expect(stderr).toMatch(
      /Do not send it again; follow its reference\. See its state: svc order status \S+\n$/,
    )
    await lost()
    const placing = desk.terminal.start(`${PLACE} --wait`)
    const looked = () => desk.gateway.received.some(({ path }) => path === '/api/v1/orderstatus')
    await expect.poll(looked).toBe(true)
    await faults()
    const settled = await placing.ended
    expect([settled.exit, printed(settled.stdout, 'state')]).toEqual([5, 'rejected'])
  })

  it('names the broker in its refusal, exit 5', async () => {
    await faults({ on: ['place'], kind: 'fail', httpStatus: 400, message: 'Insufficient funds', times: 1 })
    const { exit, stderr } = await svc(PLACE)
    expect([exit, stderr]).toEqual([5, expect.stringContaining('Insufficient funds')])
  })
})

it('svc order place is exit 7 without a daemon', async () => {
  const { exit, stderr } = await svc([...PLACE.split(' '), '--url', await freeUrl(), '--apikey', 'k'])
  expect([exit, stderr]).toEqual([7, expect.stringContaining('Start it: svc up --detach')])
})
