import { describe, expect, test } from 'vitest'
import { LightDaemon } from '../../../support/daemons/light-daemon.js'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { recordFaults } from '../../../support/files/record-faults.js'

/* A basket: what is checked before it, what its results say, and what is sent again under its key. */

const HOUR_MS = 3_600_000
const stdin = JSON.stringify(
  ['SBIN', 'INFY'].map((symbol) => ({ symbol, exchange: 'NSE', action: 'BUY', product: 'MIS', quantity: 1 })),
)

test('--all-or-nothing of a basket that was sent gets its answer, whatever the checks would say now', async () => {
  const desk = await CliDesk.open()
  const line = 'order basket - --all-or-nothing --idempotency-key b1 --yes'
  expect((await desk.svc(line, { stdin })).exit).toBe(0)
  await desk.svc('risk kill')
  const again = await desk.svc(line, { stdin })
  expect([again.exit, again.stderr]).toEqual([0, expect.stringContaining('2 of 2 orders placed')])
  const other = await desk.svc('order basket - --all-or-nothing --idempotency-key b2 --yes', { stdin })
  expect([other.exit, other.stderr]).toEqual([5, expect.stringContaining('nothing was sent')])
})

test('--all-or-nothing checks a basket again that was refused as a whole', async () => {
  const desk = await CliDesk.open()
  await desk.svc('risk kill')
  const first = await desk.svc('order basket - --idempotency-key b1 --yes', { stdin })
  expect(first.exit).toBe(5)
  const again = await desk.svc('order basket - --all-or-nothing --idempotency-key b1 --yes', { stdin })
  expect([again.exit, again.stderr]).toEqual([5, expect.stringContaining('nothing was sent')])
})

test('a check with a credential that is refused is exit 3, not a refusal of the orders', async () => {
  const desk = await CliDesk.open()
  const { exit } = await desk.svc('order basket - --dry-run --apikey wrong', { stdin })
  expect(exit).toBe(3)
})

test.each([
  {
    basket: 'simulated',
    first: 'on',
    later: 'off --confirm LIVE',
    limit: 'max_order_quantity=5',
    refuses: 'one order',
  },
  {
    basket: 'simulated',
    first: 'on',
    later: 'off --confirm LIVE',
    limit: 'allowed_exchanges=NFO',
    refuses: 'both',
  },
  {
    basket: 'live',
    first: 'off --confirm LIVE',
    later: 'on',
    limit: 'max_order_quantity=5',
    refuses: 'one order',
  },
  {
    basket: 'live',
    first: 'off --confirm LIVE',
    later: 'on',
    limit: 'allowed_exchanges=NFO',
    refuses: 'both',
  },
])('a $basket basket of which $limit refused $refuses is retried only where it went', async (row) => {
  const desk = await CliDesk.open()
  const orders = ['SBIN', 'INFY'].map((symbol, index) => ({
    ...{ symbol, exchange: 'NSE', action: 'BUY', product: 'MIS' },
    quantity: 1 + 8 * index,
  }))
  const place = (rest: string) =>
    desk.svc(`order basket - --idempotency-key b1 --yes ${rest}`, { stdin: JSON.stringify(orders) })
  const placed = async () => JSON.parse((await desk.svc('order list -o json')).stdout).length
  await desk.svc(`analyze ${row.first}`)
  await desk.svc(`risk set ${row.limit} --yes`)
  expect((await place('')).exit).toBe(5)
  await desk.svc(`risk set ${row.limit.replace(/=.*/, '=off')} --yes`)

  await desk.svc(`analyze ${row.later}`)
  const refused = await place('--retry-failed')
  const words = expect.stringContaining(`The basket was ${row.basket};`)
  expect([refused.exit, refused.stderr, await placed()]).toEqual([5, words, 0])

  await desk.svc(`analyze ${row.first}`)
  expect([(await place('--retry-failed')).exit, await placed()]).toEqual([0, 2])
  const last = await place('--retry-failed')
  const all = expect.stringContaining('Nothing to retry: all orders of the basket are placed.')
  expect([last.exit, last.stdout, last.stderr, await placed()]).toEqual([0, '', all, 2])
  expect(last.stderr).not.toContain('orders placed')
  expect(JSON.parse((await place('--retry-failed -o json')).stdout).results).not.toEqual([])
})

const line = (symbol: string, quantity: number, product = 'MIS') => {
  return { symbol, exchange: 'NSE', action: 'BUY', product, quantity }
}
const placed = async (desk: CliDesk) => JSON.parse((await desk.svc('order list -o json')).stdout).length

/** Makes the keys older than the daemon keeps their answers. */
async function forgetKeys(desk: CliDesk): Promise<void> {
  await desk.service.databases.svc.write((tx) =>
    tx.exec(`update idempotency_keys set created_at = created_at - ${25 * HOUR_MS}`),
  )
}

describe('a basket of which every order is refused', () => {
  const lines = [line('SBIN', 1), line('INFY', 9), line('TCS', 9)]
  const send = 'order basket - --idempotency-key b1 --yes'

  test.each([1, 2])('has one form and one exit status, as a retry of %i orders too', async (failed) => {
    const desk = await CliDesk.open()
    await desk.svc('risk set max_order_quantity=5 --yes')
    const orders = JSON.stringify(lines.slice(0, 1 + failed))
    const first = await desk.svc(`${send} -o csv`, { stdin: orders })
    const [head] = first.stdout.split('\n')
    expect(first.exit).toBe(5)

    const csv = await desk.svc(`${send} --retry-failed -o csv`, { stdin: orders })
    const [header, ...rows] = csv.stdout.trim().split('\n')
    expect([csv.exit, header?.trim(), rows.length]).toEqual([5, head?.trim(), failed])
    expect(rows[0]).toMatch(/^2,,INFY,NSE,BUY,9,MARKET,,,error,,,max_order_quantity,/)
    expect(csv.stderr).toContain('error: ')
    const json = await desk.svc(`${send} --retry-failed -o json`, { stdin: orders })
    expect([json.exit, JSON.parse(json.stdout).results]).toMatchObject([
      5,
      Array.from({ length: failed }, () => ({ status: 'error', rule: 'max_order_quantity' })),
    ])
    expect(await placed(desk)).toBe(1)
  })

  test('has the record of its schema, as one that is placed, one that fails in part and one that waits', async () => {
    const desk = await CliDesk.open()
    const record = async (orders: readonly object[]) => {
      const { stdout } = await desk.svc('order basket - --yes -o json', { stdin: JSON.stringify(orders) })
      return JSON.parse(stdout)
    }
    const placedAll = await record([line('SBIN', 1), line('INFY', 1)])
    await desk.svc('risk set max_order_quantity=5 --yes')
    const [inPart, none] = [await record(lines), await record([line('INFY', 9)])]
    await desk.svc('mode set semi_auto')
    const waits = await record([line('SBIN', 1)])
    expect([placedAll.status, inPart.status, none.status, waits.mode]).toEqual([
      ...['success', 'success', 'error', 'semi_auto'],
    ])
    expect(recordFaults('basket', [placedAll, inPart, none, waits])).toEqual([])
    expect(recordFaults('basket', [{ status: 'success' }])).toHaveLength(1)
  })

  test('says 5 and not 4, as a basket does of which another order was placed', async () => {
    const desk = await CliDesk.open()
    const { exit, stdout } = await desk.svc('order basket - --yes -o csv', {
      stdin: JSON.stringify([line('NOPE', 1)]),
    })
    expect([exit, stdout]).toEqual([
      5,
      expect.stringMatching(/\n1,,NOPE,NSE,BUY,1,MARKET,,,error,,,,,,.*not found/),
    ])
  })

  test('shows no rows where the request was refused, and not its orders', async () => {
    const desk = await CliDesk.open()
    const stdin = JSON.stringify([line('SBIN', 1)])
    const { exit, stdout } = await desk.svc('order basket - --yes -o csv --apikey wrong', { stdin })
    expect([exit, stdout]).toEqual([3, ''])
  })
})

describe('a basket whose answer is no longer kept', () => {
  test('is checked again with --all-or-nothing: a key of every day is a new one each day', async () => {
    const desk = await CliDesk.open()
    const send = 'order basket - --all-or-nothing --idempotency-key morning-1 --yes'
    expect((await desk.svc(send, { stdin })).exit).toBe(0)
    await forgetKeys(desk)
    await desk.svc('risk kill')
    const { exit, stderr } = await desk.svc(send, { stdin })
    expect([exit, stderr]).toEqual([5, expect.stringContaining('nothing was sent')])
  })

  test('is not retried: nobody knows any more what failed', async () => {
    const desk = await CliDesk.open()
    await desk.svc('risk set max_order_quantity=5 --yes')
    const orders = JSON.stringify([line('SBIN', 1), line('INFY', 9)])
    const send = 'order basket - --idempotency-key b1 --yes'
    expect((await desk.svc(send, { stdin: orders })).exit).toBe(5)
    await forgetKeys(desk)
    await desk.svc('risk set max_order_quantity=off --yes')
    const before = await placed(desk)
    const { exit, stderr } = await desk.svc(`${send} --retry-failed`, { stdin: orders })
    expect([exit, stderr]).toEqual([5, expect.stringContaining('no longer kept')])
    expect(await placed(desk)).toBe(before)
  })
})

describe('the check of a whole basket', () => {
  test('shows the type and the prices of each order', async () => {
    const desk = await CliDesk.open()
    const orders = [
      { ...line('SBIN', 1), price: 900 },
      { ...line('INFY', 1), pricetype: 'SL', price: 1500, trigger_price: 1490 },
      { ...line('RELIANCE', 1), pricetype: 'MARKET', price: 0 },
    ]
    const { stdout } = await desk.svc('order basket - --dry-run -o csv', { stdin: JSON.stringify(orders) })
    const [header = '', ...rows] = stdout.trim().split('\n')
    expect(header).toContain('quantity,pricetype,price,trigger_price,status')
    expect(rows.map((row) => row.split(',').slice(6, 9))).toEqual([
      ['LIMIT', '900', ''],
      ['SL', '1500', '1490'],
      ['MARKET', '', ''],
    ])
  })

  test('counts its orders of the day together', async () => {
    const desk = await CliDesk.open()
    await desk.svc('risk set max_orders_per_day=1 --yes')
    const { exit, stdout } = await desk.svc('order basket - --dry-run -o json', { stdin })
    const rows: { status: string; rule: string | null }[] = JSON.parse(stdout)
    expect(exit).toBe(5)
    expect(rows).toMatchObject([{ status: 'ok' }, { status: 'refused', rule: 'max_orders_per_day' }])
    const sent = await desk.svc('order basket - --all-or-nothing --yes', { stdin })
    expect([sent.exit, await placed(desk)]).toEqual([5, 0])
  })

  test('counts the simulated funds that the orders before it leave, and those that a sale brings in', async () => {
    const desk = await CliDesk.open()
    await desk.svc('analyze on')
    await desk.svc('risk set max_order_value=off --yes')
    const dear = JSON.stringify([line('SBIN', 8000, 'CNC'), line('SBIN', 8000, 'CNC')])
    const { exit, stdout } = await desk.svc('order basket - --dry-run -o json', { stdin: dear })
    expect([exit, JSON.parse(stdout)]).toMatchObject([
      5,
      [
        { status: 'ok' },
        { status: 'refused', rule: 'sandbox', message: expect.stringMatching(/^Insufficient/) },
      ],
    ])
    const closing = [line('SBIN', 5, 'CNC'), { ...line('SBIN', 5, 'CNC'), action: 'SELL' }]
    const both = await desk.svc('order basket - --dry-run', { stdin: JSON.stringify(closing) })
    expect([both.exit, await placed(desk)]).toEqual([0, 0])
  })

  test('has the columns of the results in a file', async () => {
    const desk = await CliDesk.open()
    const checked = await desk.svc('order basket - --dry-run -o csv', { stdin })
    const sent = await desk.svc('order basket - --yes -o csv', { stdin })
    const [head, ...lines] = sent.stdout.trim().split('\n')
    expect(checked.stdout.split('\n')[0]).toBe(head)
    expect(head).toMatch(
      /^order_num,leg,symbol,exchange,action,quantity,pricetype,price,trigger_price,status,orderid,order_ref,rule,value,margin,message,mode\r?$/,
    )
    expect(lines).toEqual([
      expect.stringMatching(/^1,,SBIN,NSE,BUY,1,MARKET,,,success,\w+,.*,live\r?$/),
      expect.stringMatching(/^2,,INFY,NSE,BUY,1,MARKET,,,success,\w+,.*,live\r?$/),
    ])
  })
})

describe('a basket with an order in doubt', () => {
  const twice = JSON.stringify([
    { ...line('SBIN', 3), action: 'SELL' },
    line('SBIN', 1),
    line('SBIN', 2),
    line('INFY', 9),
  ])
  const send = 'order basket - --idempotency-key b1 --yes'

  /** The broker loses the second order, and its order book cannot be read. The last one is refused. */
  async function inDoubt(): Promise<CliDesk> {
    const desk = await CliDesk.open()
    await desk.svc('risk set max_order_quantity=5 --yes')
    const faults = desk.service.brokers.plugins.faults()
    faults.set([
      { on: ['place'], kind: 'lose_request', skip: 1, times: 1 },
      { on: ['orders', 'findByTag', 'trades'], kind: 'fail' },
    ])
    faults.dropConnections('orders')
    return desk
  }
  const rowsIn = (csv: string) => csv.trim().split('\n').slice(1)

  test('ends with 8, and its line has the reference to follow', async () => {
    const desk = await inDoubt()
    const { exit, stderr, stdout } = await desk.svc(`${send} -o csv`, { stdin: twice })
    expect(rowsIn(stdout)).toEqual([
      expect.stringMatching(/^2,,SBIN,NSE,BUY,1,MARKET,,,success,\w+,,,/),
      expect.stringMatching(/^3,,SBIN,NSE,BUY,2,MARKET,,,in_doubt,,S[^,]+,,/),
      expect.stringMatching(/^4,,INFY,NSE,BUY,9,MARKET,,,error,,,max_order_quantity,/),
      expect.stringMatching(/^1,,SBIN,NSE,SELL,3,MARKET,,,success,\w+,,,/),
    ])
    expect([exit, stderr]).toEqual([8, expect.stringContaining('2 of 4 orders placed, 1 in doubt.')])
    expect(stderr).toContain('svc order status S')
    const table = await desk.svc(send, { stdin: twice })
    expect([table.exit, table.stdout]).toEqual([8, expect.stringContaining('in_doubt')])
  })

  test('retries nothing until the doubt has an end, and then each order that failed once', async () => {
    const desk = await inDoubt()
    const { stdout } = await desk.svc(`${send} -o csv`, { stdin: twice })
    const ref = /in_doubt,,(S[^,]+)/.exec(stdout)?.[1]
    await desk.svc('risk set max_order_quantity=off --yes')
    const early = await desk.svc(`${send} --retry-failed`, { stdin: twice })
    expect([early.exit, early.stderr]).toEqual([8, expect.stringContaining('nothing was retried')])
    expect(early.stderr).toContain(`svc order status ${ref}`)

    const settled = await desk.svc(
      `order settle ${ref} --outcome rejected --reason "not there" --force --yes`,
    )
    expect(settled.exit).toBe(0)
    desk.service.brokers.plugins.faults().set([])
    const retried = await desk.svc(`${send} --retry-failed -o csv`, { stdin: twice })
    expect([retried.exit, rowsIn(retried.stdout)]).toEqual([
      0,
      [
        expect.stringMatching(/^3,,SBIN,NSE,BUY,2,MARKET,,,success,/),
        expect.stringMatching(/^4,,INFY,NSE,BUY,9,MARKET,,,success,/),
      ],
    ])
    const again = await desk.svc(`${send} --retry-failed`, { stdin: twice })
    expect([again.exit, again.stderr]).toEqual([0, expect.stringContaining('Nothing to retry')])
    expect(await desk.http.desk.ledger()).toHaveLength(4)
  })
})

test('a retry sends nothing while a repeat of the basket may still send an order', async () => {
  const desk = await CliDesk.open()
  const asked: (string | undefined)[] = []
  const daemon = await LightDaemon.open()
  daemon.answerAll(({ headers }, response) => {
    asked.push(headers['x-dry-run']?.toString())
    response.writeHead(409, {
      'content-type': 'application/json',
      'x-request-id': 'r-1',
      'x-svc-code': 'conflict',
    })
    response.end(JSON.stringify({ status: 'error', message: 'A repeat still sends them.' }))
  })
  const retry = 'order basket - --retry-failed --idempotency-key b1 --yes'
  const { exit, stderr } = await desk.svc(retry, { stdin, env: { SVC_URL: daemon.url } })
  expect([exit, stderr, asked]).toEqual([5, expect.stringContaining('without --retry-failed'), ['1']])
})

test('a key that is too long for retries is refused before anything is asked', async () => {
  const desk = await CliDesk.open()
  const retry = `order basket - --retry-failed --idempotency-key ${'k'.repeat(249)} --yes`
  const { exit, stderr } = await desk.svc(retry, { stdin })
  expect([exit, stderr]).toEqual([2, expect.stringContaining('248')])
})

test("a basket's own id is its key", async () => {
  const desk = await CliDesk.open()
  const orders = JSON.parse(stdin)
  const basket = JSON.stringify({ client_order_id: 'mine', orders: [...orders, line('INFY', 9)] })
  await desk.svc('risk set max_order_quantity=5 --yes')
  expect((await desk.svc('order basket - --yes', { stdin: basket })).exit).toBe(5)
  await desk.svc('risk set max_order_quantity=off --yes')
  const retried = await desk.svc('order basket - --retry-failed --yes', { stdin: basket })
  expect([retried.exit, await placed(desk)]).toEqual([0, 3])
})
