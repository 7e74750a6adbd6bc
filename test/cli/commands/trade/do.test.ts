import { beforeEach, describe, expect, it } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* Lines in the words of a trader, over a daemon: each is the command that it stands for. */

let desk: CliDesk
beforeEach(async () => {
  desk = await CliDesk.open()
  await desk.svc('analyze on --yes')
})

const orders = async () => JSON.parse((await desk.svc('order list --json')).stdout)
const positions = async () => JSON.parse((await desk.svc('position list --json')).stdout)
/** Runs a line, which must succeed. */
const done = async (line: string, rest = '') => {
  const ran = await desk.svc(`do "${line}" ${rest}`)
  expect([ran.exit, ran.stderr]).toEqual([0, expect.any(String)])
  return ran
}

describe('an order', () => {
  it.each([
    [
      'b 10 sbin',
      { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10, pricetype: 'MARKET', product: 'MIS' },
    ],
    ['b 5 bse:sbin cnc 700', { exchange: 'BSE', pricetype: 'LIMIT', price: 700, product: 'CNC' }],
    ['b 10 sbin 700', { pricetype: 'LIMIT', price: 700, order_status: 'open' }],
    ['b 10 sbin sl 850', { pricetype: 'SL-M', trigger_price: 850, order_status: 'trigger pending' }],
    ['b 10 sbin sl 850 855', { pricetype: 'SL', trigger_price: 850, price: 855 }],
    ['b 1l nifty 26000ce', { symbol: 'NIFTY24NOV2626000CE', exchange: 'NFO', quantity: 65 }],
    ['b 2 lots nifty fut nrml', { symbol: 'NIFTY24NOV26FUT', quantity: 130, product: 'NRML' }],
  ])('%s', async (line, order) => {
    await done(line)
    expect(await orders()).toMatchObject([order])
  })

  it('is taken without quotes, too', async () => {
    expect((await desk.svc('do b 10 sbin 700')).exit).toBe(0)
    expect(await orders()).toMatchObject([{ symbol: 'SBIN', price: 700 }])
  })

  it('is shown first, with what it means, its value and its margin', async () => {
    const { stderr } = await desk.svc('do "b 2l nifty 26000ce 100" --dry-run')
    const [first, second] = stderr.split('\n')
    expect(first).toMatch(
      /^ANALYZE \(simulated\) {2}broker simulated {2}BUY 130 NFO:NIFTY24NOV2626000CE {2}LIMIT at ₹100.00 {2}MIS {2}2 lots of 65 {2}value ₹13,000.00 {2}margin ₹[\d,.]+$/,
    )
    expect(second).toBe(
      'This is: svc order place NIFTY24NOV2626000CE NFO BUY 130 --type LIMIT --price 100 --product MIS',
    )
  })

  it('has the record, the name and the strategy of svc order place', async () => {
    const json = await done('b 10 sbin', '--json --strategy mine')
    const named = await done('b 10 sbin', '-q')
    expect(JSON.parse(json.stdout)).toMatchObject({ orderid: expect.any(String), mode: 'analyze' })
    expect([named.stdout, named.stderr]).toEqual([expect.stringMatching(/^order\/\w+\n$/), ''])
    expect(await orders()).toHaveLength(2)
  })

  it('is sent once under its key', async () => {
    for (let time = 0; time < 3; time += 1) await done('b 10 sbin', '--idempotency-key k1')
    expect(await orders()).toHaveLength(1)
    const other = await desk.svc('do "b 20 sbin" --idempotency-key k1')
    expect(other.exit).not.toBe(0)
    expect(await orders()).toHaveLength(1)
  })

  it('is rehearsed with --dry-run', async () => {
    const { stdout, stderr } = await done('b 10 sbin 700', '--dry-run')
    expect(stdout).toMatch(/^quantity\t10$/m)
    expect(stderr).toContain('Dry run: nothing was sent.')
    expect(await orders()).toEqual([])
  })

  it('is refused by the daemon in its own words', async () => {
    await desk.svc('risk kill')
    const { exit, stderr } = await desk.svc('do "b 10 sbin"')
    expect([exit, stderr]).toEqual([5, expect.stringContaining('The kill switch is on')])
  })

  it('waits for approval in semi-auto mode, and the preview says so', async () => {
    await desk.svc('mode set semi_auto --yes')
    const { stderr } = await done('b 10 sbin')
    expect(stderr).toMatch(/waits for approval\n/)
    expect(stderr).toContain('Queued for approval.')
  })
})

describe('a line that is not clear sends nothing', () => {
  it.each([
    ['b sbin 10', 2, 'The quantity is missing'],
    ['b 10 sbin 965 966', 2, '"966" is a second price'],
    ['b 10 nifty fut', 2, 'is not a multiple of the lot, 65'],
    ['b 2l sbin', 2, 'does not trade in lots'],
    ['b 10 sbinn', 4, 'No instrument is SBINN'],
    ['b 10 nifty', 4, 'NIFTY is an index'],
    ['b 1l nifty 25000ce', 4, 'NIFTY24NOV2625000CE is not listed on NFO'],
    ['b 1l nifty 25nov 26000ce', 4, 'NIFTY has no options of 25NOV'],
    ['x nope', 4, 'No instrument is NOPE'],
    ['hello', 2, 'A line begins with'],
  ])('%s: exit %i, %s', async (line, exit, words) => {
    const ran = await desk.svc(`do "${line}"`)
    expect([ran.exit, ran.stdout, ran.stderr]).toEqual([exit, '', expect.stringContaining(words)])
    expect(await orders()).toEqual([])
  })
})

describe('a position', () => {
  it('is closed by its symbol', async () => {
    await done('b 10 sbin')
    const { stderr } = await done('x sbin')
    expect(stderr).toContain('This is: svc position close SBIN NSE --product MIS')
    expect(await positions()).toMatchObject([{ symbol: 'SBIN', quantity: 0 }])
  })

  it('on another exchange than the NSE is the one that is meant, if no other is open', async () => {
    await done('b 10 bse:sbin')
    await done('x sbin')
    expect(await positions()).toMatchObject([{ exchange: 'BSE', quantity: 0 }])
  })

  it('that is open in two products is not closed without one', async () => {
    await done('b 10 sbin')
    await done('b 5 sbin cnc')
    const { exit, stderr } = await desk.svc('do "x sbin"')
    expect([exit, stderr]).toEqual([5, expect.stringContaining('Name the product or the exchange.')])
    await done('x sbin cnc')
    const left = (await positions()).filter(({ quantity }: { quantity: number }) => quantity !== 0)
    expect(left).toMatchObject([{ product: 'MIS', quantity: 10 }])
  })

  it('that is not open is no failure', async () => {
    expect((await done('x sbin')).stderr).toContain('There is no open position in NSE:SBIN.')
  })

  it('all of them are closed after a question', async () => {
    await done('b 10 sbin')
    const script = await desk.svc('do "x all"')
    expect([script.exit, script.stderr]).toEqual([2, expect.stringContaining('Pass --yes.')])
    const declined = await desk.svc('do "x all"', { answers: ['n'] })
    expect([declined.exit, await positions()]).toMatchObject([1, [{ quantity: 10 }]])
    await done('x all', '--yes')
    expect(await positions()).toMatchObject([{ quantity: 0 }])
  })

  it('--dry-run closes nothing', async () => {
    await done('b 10 sbin')
    const { stderr } = await done('x sbin', '--dry-run')
    expect(stderr).toContain('Dry run: nothing was sent.')
    expect(await positions()).toMatchObject([{ quantity: 10 }])
  })
})

describe('a waiting order', () => {
  const waiting = async () => (await done('b 10 sbin 700', '-q')).stdout.trim()

  it('is changed', async () => {
    const id = (await waiting()).replace('order/', '')
    const { stderr } = await done(`m ${id} 701`)
    expect(stderr).toContain(`This is: svc order modify ${id} --price 701`)
    expect(await orders()).toMatchObject([{ orderid: id, price: 701, order_status: 'open' }])
  })

  it('has no price that its type does not have', async () => {
    const id = (await waiting()).replace('order/', '')
    const { exit, stderr } = await desk.svc(`do "m ${id} sl 600"`)
    expect([exit, stderr]).toEqual([2, expect.stringContaining('LIMIT')])
    expect(await orders()).toMatchObject([{ price: 700, trigger_price: 0 }])
  })

  it('is cancelled, also by the name that -q prints', async () => {
    await done(`c ${await waiting()}`)
    expect(await orders()).toMatchObject([{ order_status: 'cancelled' }])
  })

  it('all of them are cancelled after a question', async () => {
    await waiting()
    expect((await desk.svc('do "c all"')).exit).toBe(2)
    await done('c all', '--yes')
    expect(await orders()).toMatchObject([{ order_status: 'cancelled' }])
  })

  it('takes no key to be cancelled: the key would do nothing', async () => {
    const { exit, stderr } = await desk.svc(`do "c ${await waiting()}" --idempotency-key k1`)
    expect([exit, stderr]).toEqual([2, expect.stringContaining('takes no idempotency key')])
    expect(await orders()).toMatchObject([{ order_status: 'open' }])
  })
})

it('the help has the whole table', async () => {
  const { stdout } = await desk.svc('help do')
  expect(stdout).toContain('  26300ce, 26300pe    the call or the put of a strike')
  expect((await desk.svc('help grammar')).stdout).toContain('s nifty 26300ce 2l mkt')
})
