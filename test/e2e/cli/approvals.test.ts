import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { commandDesk } from '../../support/desk/command-desk.js'
import { queueOne } from '../../support/desk/desk-state.js'
import { answer } from '../../support/traffic/gateway.js'

const desk = commandDesk()
const svc: typeof desk.terminal.svc = (line, options) => desk.terminal.svc(line, options)
beforeAll(async () => {
  await desk.daemon.analyze(false)
  await desk.daemon.orderMode('semi_auto')
})
afterAll(() => desk.daemon.orderMode('auto'))

const queue = (fields: Record<string, unknown> = {}) => queueOne(desk.daemon, fields)
/** The id of a pending approval, and the id of a rejected one. */
const rejected = async () => {
  const id = await queue()
  await desk.daemon.request('POST', `/action-center/reject/${id}`, {})
  return id
}
const faults = (...rules: object[]) => desk.daemon.request('PUT', '/broker/simulated/faults', rules)
const refused = (message: string) => ({ on: ['place'], kind: 'fail', httpStatus: 400, message, times: 1 })
const NOWHERE = 999_999

interface Shown {
  id: number
  status: string
  broker_order_id?: string
  rejected_reason?: string
}
const shown = (id: number) => desk.terminal.json<Shown>(`approval show ${id}`)

describe('a queued close', () => {
  it('shows in list and show the quantity that it would sell now', async () => {
    await desk.daemon.orderMode('auto')
    expect((await svc('order place INFY NSE BUY 16 --product MIS --wait')).exit).toBe(0)
    await desk.daemon.orderMode('semi_auto')
    const id = (await svc('order smart INFY NSE SELL 0 --product MIS --position-size 0 -q')).stdout.trim()
    expect((await svc('approval list', { tty: 'stdout' })).stdout).toContain('close 16')
    expect((await svc(`approval show ${id}`)).stdout).toContain('trade\tclose 16\n')
    expect(await desk.terminal.json(`approval show ${id}`)).toMatchObject({ quantity: 0, position_now: 16 })
    await svc(`approval reject ${id}`)
  })
})

describe('a person who is signed in', () => {
  it('makes an order smaller, cancels and closes while orders wait and the kill switch is on', async () => {
    await desk.daemon.orderMode('auto')
    expect((await svc('order place TCS NSE BUY 14 --product MIS --wait')).exit).toBe(0)
    const price = await desk.daemon.priceAt(0.95)
    const place = `order place SBIN NSE BUY 10 --type LIMIT --price ${price} --product MIS -q`
    const made = [await svc(place), await svc(place)]
    const [first, second] = made.map(({ stdout }) => stdout.trim())
    await desk.daemon.orderMode('semi_auto')
    expect((await svc('risk kill --reason test')).exit).toBe(0)
    const answers = {
      larger: await svc(`order modify ${first} --quantity 11`),
      smaller: await svc(`order modify ${first} --quantity 9`),
      cancel: await svc(`order cancel ${first}`),
      cancelAll: await svc('order cancel-all --yes'),
      close: await svc('position close TCS NSE'),
    }
    await svc('risk resume --confirm RESUME')
    expect(
      Object.entries(answers).map(([name, { exit, stderr }]) => [name, exit === 0 ? 0 : stderr]),
    ).toEqual([
      ['larger', expect.stringContaining('Still allowed: less quantity')],
      ['smaller', 0],
      ['cancel', 0],
      ['cancelAll', 0],
      ['close', 0],
    ])
    expect(await desk.terminal.json(`order status ${second}`)).toMatchObject({ order_status: 'cancelled' })
  })
})

describe('svc approval approve, reject and delete', () => {
  it('approve executes the order and prints its id', async () => {
    const id = await queue()
    const { exit, stdout } = await svc(`approval approve ${id} --json`)
    expect(exit).toBe(0)
    const document = JSON.parse(stdout)
    expect(Object.keys(document)).toEqual(['id', 'broker_order_id', 'message', 'status'])
    expect(await shown(id)).toMatchObject({ status: 'approved', broker_order_id: document.broker_order_id })
  })

  it('pending is an alias; reject stores a reason of several words; delete removes the row', async () => {
    const id = await queue()
    expect((await svc(['pending', 'reject', String(id), '--reason', 'too large'])).exit).toBe(0)
    expect(await shown(id)).toMatchObject({ status: 'rejected', rejected_reason: 'too large' })
    expect((await svc(`approval delete ${id} --yes`)).exit).toBe(0)
    expect((await svc(`approval show ${id}`)).exit).toBe(4)
  })

  it.each(['../../risk?x=1', 'abc', '0', '-1', '1.5'])(
    '%s is no number of an approval, so nothing is sent',
    async (word) => {
      for (const verb of ['approve', 'reject', 'show', 'delete']) {
        const { exit, stderr } = await svc(['approval', verb, '--yes', '--', word])
        expect([exit, stderr]).toEqual([2, expect.stringContaining('is not the number of an approval')])
      }
      // Before a change, a command asks where orders go.
      const sent = desk.gateway.received.map(({ path }) => path).filter((path) => path !== '/auth/whoami')
      expect(sent).toEqual([])
    },
  )

  it('tries all given ids, and reports each failure with its next step', async () => {
    const [gone, waiting] = [await rejected(), await queue()]
    const { exit, stdout, stderr } = await svc(`approval approve ${gone} ${waiting}`)
    expect(exit).toBe(5)
    expect(stdout).toContain(`broker_order_id\t${(await shown(waiting)).broker_order_id}\n`)
    expect(stderr).toMatch(
      new RegExp(
        `^approval ${gone}: Approval ${gone} was rejected by asha at \\d{4}-\\S+ .*See it: svc approval show ${gone}$`,
        'm',
      ),
    )
    expect(stderr).toContain('error: 1 approved and executed, 1 refused.')
  })

  it('the most severe failure decides the exit status, in any order of the ids', async () => {
    const gone = await rejected()
    for (const [ids, status] of [
      [[NOWHERE, gone], 5],
      [[gone, NOWHERE], 5],
      [[NOWHERE, await queue()], 4],
    ] as const) {
      expect([ids, (await svc(`approval approve ${ids.join(' ')}`)).exit]).toEqual([ids, status])
    }
  })

  it('an unknown outcome is exit 8, also among others and when the output fails', async () => {
    const [lost, waiting, gone] = [await queue(), await queue(), await rejected()]
    desk.gateway.on(`POST /action-center/approve/${lost}`, 'lost')
    const { exit, stderr } = await svc(`approval approve ${gone} ${lost} ${waiting} --json --columns nope`)
    expect(exit).toBe(8)
    expect(stderr).toContain(`svc approval show ${lost}`)
    expect((await shown(lost)).status).toBe('approved')
    expect((await shown(waiting)).status).toBe('approved')
  })
})

describe('the document of several ids lists the ones that succeeded', () => {
  it.each(['approve', 'reject', 'delete'])('%s', async (act) => {
    // A pending approval must be rejected before it is deleted.
    const make = act === 'delete' ? rejected : queue
    const ids = [await make(), await make()]
    const { exit, stdout } = await svc(`approval ${act} ${NOWHERE} ${ids.join(' ')} --yes --json`)
    expect([exit, JSON.parse(stdout).map(({ id }: Shown) => id)]).toEqual([4, ids])
  })

  it('is empty when none succeeded, and one object for one id', async () => {
    const gone = [await rejected(), await rejected()]
    const none = await svc(`approval approve ${gone.join(' ')} --json`)
    expect([none.exit, JSON.parse(none.stdout)]).toEqual([5, []])
    const id = await queue()
    const one = await svc(`approval approve ${id} --json`)
    expect([one.exit, JSON.parse(one.stdout).id]).toEqual([0, id])
  })

  it('is one list as YAML', async () => {
    const ids = [await queue(), await queue()]
    const { exit, stdout } = await svc(`approval approve ${NOWHERE} ${ids.join(' ')} -o yaml`)
    expect([exit, parse(stdout).map(({ id }: Shown) => id)]).toEqual([4, ids])
  })

  it('has one heading as CSV, and one object per line as JSONL', async () => {
    const said = async (format: string) => {
      const ids = [await queue(), await queue()]
      const { stdout } = await svc(`approval reject ${ids.join(' ')} -o ${format}`)
      return { ids, lines: stdout.trimEnd().split(/\r?\n/) }
    }
    const csv = await said('csv')
    expect(csv.lines[0]).toMatch(/^id,broker_order_id,message,status/)
    expect(csv.lines.slice(1).map((line) => Number(line.split(',')[0]))).toEqual(csv.ids)
    const lines = await said('jsonl')
    expect(lines.lines.map((line) => JSON.parse(line).id)).toEqual(lines.ids)
  })
})

describe('an approved order whose execution fails', () => {
  it('is exit 5 with the reason of the broker', async () => {
    const id = await queue()
    await faults(refused('Insufficient funds'))
    const { exit, stderr } = await svc(`approval approve ${id}`)
    expect([exit, stderr]).toEqual([5, expect.stringContaining('execution failed: Insufficient funds')])
  })

  it('is exit 8 with the reference when its outcome is unknown', async () => {
    const id = await queue()
    await faults(
      { on: ['place'], kind: 'lose_request', times: 1 },
      { on: ['findByTag'], kind: 'fail', httpStatus: 503, message: 'away' },
    )
    const { exit, stderr } = await svc(`approval approve ${id}`)
    await faults()
    expect([exit, stderr]).toEqual([8, expect.stringMatching(/svc order status \S+/)])
  })
})

describe('svc approval approve-all', () => {
  it('without pending orders asks and does nothing', async () => {
    expect((await svc('approval count -q')).stdout).toBe('0\n')
    desk.gateway.reset()
    expect((await svc('approval approve-all')).exit).toBe(0)
    expect(desk.gateway.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /action-center/count',
    ])
  })

  it('approves all, is exit 5 when some are refused, and lists them', async () => {
    const ids = [await queue(), await queue()]
    await faults(refused('no margin'))
    const { exit, stderr } = await svc('approval approve-all --yes')
    // The daemon continues to approve while the command waits.
    expect(desk.gateway.last('POST /action-center/approve-all').headers['x-request-timeout']).toBe('120')
    expect(exit).toBe(5)
    expect(stderr).toMatch(new RegExp(`^approval (${ids.join('|')}): .*no margin`, 'm'))
    for (const id of ids) expect((await shown(id)).status).toBe('approved')
  })

  it('is exit 8 when one outcome is unknown, and names the order', async () => {
    const id = await queue()
    await faults(
      { on: ['place'], kind: 'lose_request', times: 1 },
      { on: ['findByTag'], kind: 'fail', httpStatus: 503, message: 'away' },
    )
    const { exit, stderr } = await svc('approval approve-all --yes')
    await faults()
    expect(exit).toBe(8)
    expect(stderr).toContain(`approval ${id}: `)
    expect(stderr).toContain(`do not send it again. Follow it: svc approval show ${id}`)
  })
})

describe('svc approval list, show and watch', () => {
  it('shows age and value on a terminal', async () => {
    const id = await queue({
      pricetype: 'LIMIT',
      price: 1500.5,
      symbol: 'INFY',
      quantity: 25,
      product: 'MIS',
    })
    const { stdout } = await svc('approval list', { tty: 'stdout', env: { NO_COLOR: '1' } })
    const [heading = '', row = '', ...rest] = stdout.trimEnd().split('\n')
    expect([heading.split(/ {2,}/), rest]).toEqual([
      [
        ...['ID', 'AGE', 'STRATEGY', 'SYMBOL', 'EXCH', 'ACTION', 'QTY', 'TYPE', 'PRICE', 'LAST'],
        ...['VALUE ₹', 'QUEUED IN', 'STATUS'],
      ],
      [],
    ])
    expect(row.split(/ {2,}/).slice(0, 1)).toEqual([String(id)])
    expect(row).toMatch(
      / \d+s {2,}e2e +INFY +NSE +BUY +25 +LIMIT +1,500\.50 +[\d,]+\.\d\d +37,512\.50 +live +pending$/,
    )
    await desk.daemon.request('DELETE', `/action-center/delete/${id}`)
  })

  it('lists every page of a long history, or the newest rows with --limit', async () => {
    desk.gateway.on('GET /action-center/api/data', ({ path }) => {
      const before = Number(new URL(path, desk.gateway.url).searchParams.get('before') ?? 7)
      const ids = [before - 1, before - 2].filter((id) => id > 0)
      const next = before > 3 && { next_before: before - 2 }
      return answer({ status: 'success', data: { orders: ids.map((id) => ({ id })), total: 6, ...next } })
    })
    const ids = async (line: string) => (await svc(line)).stdout.trim().split(/\s+/)
    expect(await ids('approval list --status all -q')).toEqual(['6', '5', '4', '3', '2', '1'])
    expect(await ids('approval list --status all --limit 2 -q')).toEqual(['6', '5'])
  })

  it('show is exit 4 for an unknown id', async () => {
    expect((await svc(`approval show ${NOWHERE}`)).exit).toBe(4)
    expect(desk.gateway.received.map(({ path }) => path)).toEqual([
      `/action-center/api/data?status=all&limit=1&before=${NOWHERE + 1}`,
    ])
  })

  it('watch in a pipe prints a line for every queued and decided order', async () => {
    // The gateway does not forward WebSockets.
    const env = { SVC_URL: desk.daemon.url, SVC_TOKEN: desk.daemon.token }
    const before = await rejected()
    const watching = desk.terminal.follow('approval watch', { env })
    const until = Date.now() + 60_000
    let id = await queue()
    // It watches once its first line is printed.
    while (!watching.stdout().includes(`"id":${id}`) && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 500))
      if (!watching.stdout().includes(`"id":${id}`)) id = await queue()
    }
    await desk.daemon.request('POST', `/action-center/approve/${id}`)
    const statuses = () => {
      const rows = watching.stdout().trim().split('\n')
      return rows.flatMap((row): string[] => (JSON.parse(row).id === id ? [JSON.parse(row).status] : []))
    }
    await expect.poll(statuses).toEqual(['pending', 'approved'])
    expect(watching.stdout()).not.toContain(`"id":${before}`)
    watching.interrupt()
    expect((await watching.ended).exit).toBe(130)
  })
})

describe('a decision by filter', () => {
  it('approves only what matches, and leaves out what is worth more', async () => {
    const [small, large, other] = [
      await queue({ strategy: 'filtered', quantity: 1 }),
      await queue({ strategy: 'filtered', quantity: 900 }),
      await queue({ strategy: 'another', quantity: 1 }),
    ]
    const { exit, stderr } = await svc('approval approve --strategy filtered --max-value 10000 --yes')
    expect(exit).toBe(0)
    expect(stderr).toContain(String(small))
    const statuses = await Promise.all([small, large, other].map(async (id) => (await shown(id)).status))
    expect(statuses).toEqual(['approved', 'pending', 'pending'])
    expect((await svc('approval reject --strategy filtered --reason late --yes')).exit).toBe(0)
    expect(await shown(large)).toMatchObject({ status: 'rejected', rejected_reason: 'late' })
    await svc(`approval reject ${other}`)
  })

  it('asks a script for --yes, and refuses ids beside a filter and neither of both', async () => {
    const id = await queue({ strategy: 'filtered' })
    for (const line of [
      'approval approve --strategy filtered',
      `approval approve ${id} --strategy filtered --yes`,
      'approval approve --yes',
      'approval reject --strategy filtered --max-value -1 --yes',
    ]) {
      expect([line, (await svc(line)).exit]).toEqual([line, 2])
    }
    expect((await shown(id)).status).toBe('pending')
    await svc(`approval reject ${id}`)
  })

  it('does nothing where nothing matches', async () => {
    const { exit, stderr } = await svc('approval approve --strategy nobody --yes')
    expect([exit, stderr]).toEqual([
      0,
      'No waiting order matches --strategy nobody: nothing was done. See all: svc approval list\n',
    ])
  })
})
