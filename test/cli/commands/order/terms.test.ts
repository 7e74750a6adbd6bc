import { describe, expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* What a person may not write as the terms of an order, on every command that takes some. */

const ORDER = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10, product: 'MIS' }
const LEG = { offset: 'ATM', option_type: 'CE', action: 'BUY', quantity: 65, product: 'NRML' }
const legs = (leg: object) => ({
  underlying: 'NIFTY',
  exchange: 'NSE_INDEX',
  expiry_date: '24NOV26',
  legs: [{ ...LEG, ...leg }],
})
const OPTION =
  'order options NIFTY NSE_INDEX BUY 65 --expiry 24NOV26 --offset ATM --option-type CE --product NRML'
const GTT = 'order gtt place SBIN NSE BUY 10 --product CNC'

/** A command line, its file if it has one, and what it says. */
type Row = readonly [line: string, says: string, file?: unknown]
const cases = (rows: readonly Row[]) => rows.map(([line, says, file]) => ({ line, says, file }))

async function expectRefused(line: string, says: string, file?: unknown): Promise<void> {
  const desk = await CliDesk.open()
  const { exit, stderr, stdout } = await desk.svc(
    line,
    file === undefined ? {} : { stdin: JSON.stringify(file) },
  )
  // A request that is sent has a key on stderr.
  expect({ exit, stdout, stderr }).toEqual({
    exit: 2,
    stdout: '',
    stderr: expect.stringMatching(/^error: .*\n$/),
  })
  expect(stderr).toContain(says)
  expect(JSON.parse((await desk.svc('order list --json')).stdout)).toEqual([])
}

describe('a price that is 0 or empty never makes an order MARKET', () => {
  const price = '--price 0 is no limit price: it must be greater than 0.'
  const rows: readonly Row[] = [
    ['order place SBIN NSE BUY 10 --price 0', price],
    ['order place SBIN NSE BUY 10 --price 0.00 --dry-run', price],
    ['order place SBIN NSE BUY 10 --price=', '--price: Not a valid number.'],
    ['order place SBIN NSE BUY 10 --trigger 0', '--trigger 0 is no trigger price'],
    ['order place SBIN NSE BUY 10 --price 900 --trigger 0', '--trigger 0 is no trigger price'],
    ['order place SBIN NSE BUY 10 --type LIMIT --price 0', 'A LIMIT order needs a price.'],
    ['order smart SBIN NSE BUY --position-size 5 --price 0', price],
    ['order split SBIN NSE BUY 10 --split-size 5 --price 0', price],
    ['order margin SBIN NSE BUY 10 --price 0', price],
    [`${OPTION} --price 0`, price],
    [`${GTT} --type LIMIT --price 0 --trigger-sl 900`, '--price 0 is no price'],
    [`${GTT} --type MARKET --trigger-sl 0 --trigger-tg 900`, '--trigger-sl 0 is no price'],
    ['order place -', 'price 0 is no limit price', { ...ORDER, price: 0 }],
    ['order place -', 'price "" is no limit price', { ...ORDER, price: '' }],
    ['order place -', 'price 0 is no limit price', { ...ORDER, pricetype: '', price: 0 }],
    ['order basket -', 'Order 2: price 0 is no limit price', [ORDER, { ...ORDER, price: 0 }]],
    [
      'order basket - --dry-run',
      'Order 1: trigger_price 0 is no',
      [{ ...ORDER, price: 9, trigger_price: '0' }],
    ],
    ['order options-multi -', 'Leg 1: price 0 is no limit price', legs({ price: 0 })],
  ]
  test.each(cases(rows))('$line: $says', ({ line, says, file }) => expectRefused(line, says, file))

  test('unless its price type is written: the fields of the API have 0 for none', async () => {
    const desk = await CliDesk.open()
    const order = { ...ORDER, pricetype: 'MARKET', price: 0, trigger_price: 0 }
    expect((await desk.svc('order place - --dry-run', { stdin: JSON.stringify(order) })).exit).toBe(0)
    expect((await desk.svc('order place SBIN NSE BUY 10 --type MARKET --price 0 --dry-run')).exit).toBe(0)
  })

  test('of a change is refused, and so is a size that the order cannot have', async () => {
    const desk = await CliDesk.open()
    const placed = await desk.svc('order place SBIN NSE BUY 10 --price 900 --json --yes')
    const { orderid } = JSON.parse(placed.stdout)
    for (const [change, says] of [
      ['--trigger 0', '--trigger 0 is no trigger price'],
      ['--price 0', '--price 0 is no limit price'],
      ['--disclosed 20', '--disclosed: 20 is more than the quantity of the order, 10.'],
      ['--quantity 1e1', 'quantity: Must be in plain digits'],
    ]) {
      const { exit, stderr } = await desk.svc(`order modify ${orderid} ${change}`)
      expect([exit, stderr]).toEqual([2, expect.stringContaining(String(says))])
    }
  })
})

describe('a size is written once, in digits', () => {
  const digits = 'quantity: Must be in plain digits, such as 10.'
  const disclosed = 'disclosed_quantity: 20 is more than the quantity of the order, 10.'
  const rows: readonly Row[] = [
    ['order place SBIN NSE BUY 1e3', digits],
    ['order place SBIN NSE BUY 0x10', 'quantity: Not a valid number.'],
    ['order place SBIN NSE BUY " 5 "', digits],
    ['order place SBIN NSE BUY +5', digits],
    ['order place SBIN NSE BUY --quantity 1e3', digits],
    ['order place SBIN NSE BUY 10 --disclosed 1e0', '--disclosed: Must be in plain digits'],
    ['order smart SBIN NSE BUY --position-size 1e2', '--position-size: Must be in plain digits'],
    ['order split SBIN NSE BUY 10 --split-size 1e0', '--split-size: Must be in plain digits'],
    [OPTION.replace('BUY 65', 'BUY 6.5e1'), digits],
    [`${GTT.replace(' 10 ', ' 1e1 ')} --type MARKET --trigger-sl 900`, digits],
    ['order settle r1 --outcome filled --reason seen --price 900 --quantity 1e1', digits],
    ['order basket -', `Order 1: ${digits}`, [{ ...ORDER, quantity: '1e3' }]],
    ['order basket -', 'Order 2: quantity: Not a valid number.', [ORDER, { ...ORDER, quantity: '0x10' }]],
    ['order place -', digits, { ...ORDER, quantity: ' 5 ' }],
    [
      'order place SBIN NSE BUY 10 --quantity 20',
      'The order has two values of quantity: 10, and --quantity 20.',
    ],
    [
      'order place SBIN NSE BUY 10 --action SELL',
      'The order has two values of action: BUY, and --action SELL.',
    ],
    [
      'order place NSE:SBIN BUY 10 --symbol INFY',
      'The order has two values of symbol: SBIN, and --symbol INFY.',
    ],
    ['order place SBIN NSE BUY 10 --disclosed 20', disclosed.replace('disclosed_quantity', '--disclosed')],
    ['order basket -', `Order 1: ${disclosed}`, [{ ...ORDER, disclosed_quantity: 20 }]],
    ['order options-multi -', 'Leg 1: disclosed_quantity: 130 is more', legs({ disclosed_quantity: 130 })],
  ]
  test.each(cases(rows))('$line: $says', ({ line, says, file }) => expectRefused(line, says, file))

  test('in a YAML file, too: 0x10 is no number there', async () => {
    const desk = await CliDesk.open()
    const file = (quantity: string) =>
      `- {symbol: SBIN, exchange: NSE, action: BUY, product: MIS, quantity: ${quantity}}`
    const { exit, stderr } = await desk.svc('order basket - --dry-run', { stdin: file('0x10') })
    expect([exit, stderr]).toEqual([2, expect.stringContaining('Order 1: quantity: Not a valid number.')])
    expect((await desk.svc('order basket - --dry-run', { stdin: file('16') })).exit).toBe(0)
  })
})

test.each([
  ['order basket -', 'orders is empty', []],
  ['order basket - --dry-run', 'orders is empty', { orders: [] }],
  ['order options-multi -', 'legs is empty', { ...legs({}), legs: [] }],
] as const)('%s without orders is refused: %s', (line, says, file) => expectRefused(line, says, file))

test('legs on an underlying that is not listed are exit 4, as any symbol that is not', async () => {
  const desk = await CliDesk.open()
  const file = { ...legs({}), underlying: 'NOPE', exchange: 'NSE' }
  const { exit, stderr } = await desk.svc('order options-multi -', { stdin: JSON.stringify(file) })
  expect([exit, stderr]).toEqual([4, expect.stringMatching(/^error: .*NOPE.*\n$/)])
})
