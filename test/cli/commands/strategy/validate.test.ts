import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { Files } from '../../../support/files/kept-files.js'

const straddle = (underlying: string) =>
  `name: ${underlying}\nunderlying: ${underlying}\nunderlying_exchange: NSE_INDEX\nentry_time: "09:20"\nexit_time: "15:15"\n` +
  'legs:\n  - {segment: options, position: S, lots: 1, option_type: CE, expiry: weekly, sl_pts: 30}\n'
const signal = (symbol: string) =>
  `name: ${symbol}\nstrategy_kind: signal\nstrategy_type: positional\nproduct: MIS\nunderlying: SBIN\nunderlying_exchange: NSE\n` +
  `legs:\n  - {symbol: ${symbol}, exchange: NSE, segment: cash, qty: 10}\n`
const cash = (underlying: string) =>
  `name: ${underlying}\nunderlying: ${underlying}\nunderlying_exchange: NSE\nstrategy_type: positional\nproduct: MIS\n` +
  'legs:\n  - {segment: cash, position: B, lots: 10}\n'

const UNCHECKED = 'Underlyings and symbols of strategies were not looked up: nobody is signed in (svc login).'

test.each([
  [
    'an underlying without contracts',
    straddle('NIFTYY'),
    /:2:13: .*NIFTYY has no options or futures on NFO\. Did you mean "NIFTY"\?/,
  ],
  ['a signal leg', signal('SBINN'), /:8:14: .*There is no SBINN on NSE\./],
  ['a share', cash('SBINN'), /:2:13: .*There is no SBINN on NSE\./],
])(
  '%s that no daemon lists is an error of every verb that reads a file, at its place',
  async (_, text, message) => {
    const desk = await CliDesk.open()
    const file = new Files().write('strategies/one.yaml', text)
    for (const verb of [
      'strategy validate',
      'flow validate',
      'strategy plan',
      'strategy apply',
      'strategy create',
    ]) {
      const { exit, stdout, stderr } = await desk.svc(`${verb} ${file}`)
      expect([verb, exit, stdout + stderr]).toEqual([verb, 2, expect.stringMatching(message)])
    }
    expect((await desk.svc('strategy list -q')).stdout).toBe('')
  },
)

test.each([straddle('NIFTY'), signal('SBIN'), cash('SBIN')])('what is listed is no error', async (text) => {
  const desk = await CliDesk.open()
  const file = new Files().write('one.yaml', text)
  const { exit, stdout, stderr } = await desk.svc(`strategy validate ${file}`)
  expect([exit, stdout, stderr]).toEqual([0, '', '1 file, 0 errors.\n'])
  expect((await desk.svc(`strategy create ${file}`)).exit).toBe(0)
})

test('without a session the check says what it did not look up', async () => {
  const desk = await CliDesk.open()
  const file = new Files().write('one.yaml', straddle('NIFTYY'))
  await desk.svc('logout')
  const { exit, stderr } = await desk.svc(`strategy validate ${file}`)
  expect([exit, stderr]).toEqual([0, `1 file, 0 errors.\n${UNCHECKED}\n`])
})

test('of a contract only the root is looked up: a file still names one that has expired', async () => {
  const desk = await CliDesk.open()
  const text = (symbol: string) =>
    'name: Breakout\nstrategy_kind: signal\nunderlying: NIFTY\nunderlying_exchange: NFO\nentry_time: "09:20"\nexit_time: "15:15"\n' +
    `legs:\n  - {symbol: ${symbol}, exchange: NFO, segment: futures, side: both, qty: 1, qty_mode: lots}\n`
  const expired = new Files().write('one.yaml', text('NIFTY27OCT26FUT'))
  expect(await desk.svc(`strategy validate ${expired}`)).toEqual({
    exit: 0,
    stdout: '',
    stderr: '1 file, 0 errors.\n',
  })
  const wrong = new Files().write('one.yaml', text('NIFTYY27OCT26FUT'))
  const { exit, stdout } = await desk.svc(`strategy validate ${wrong}`)
  expect([exit, stdout]).toEqual([
    2,
    expect.stringContaining('NIFTYY has no options or futures on NFO. Did you mean "NIFTY"?'),
  ])
})

test.each([
  [
    'an underlying',
    straddle('NIFTY'),
    'underlying: NIFTYY\n',
    /:1:13: .*NIFTYY has no options or futures on NFO\./,
  ],
  [
    'a signal leg',
    signal('SBIN'),
    'legs:\n  - {symbol: SBINN, exchange: NSE, segment: cash, qty: 10}\n',
    /:2:14: .*There is no SBINN on NSE\./,
  ],
  [
    'the exchange of a share',
    cash('SBIN'),
    'underlying_exchange: BSE\nunderlying: SBINN\n',
    /There is no SBINN on BSE\./,
  ],
])(
  'a change of %s to what no daemon lists is refused, and changes nothing',
  async (_name, before, change, message) => {
    const desk = await CliDesk.open()
    const files = new Files()
    await desk.svc(`strategy create ${files.write('one.yaml', before)}`)
    const shown = (await desk.svc('strategy show 1 --json')).stdout
    const { exit, stderr } = await desk.svc(`strategy update 1 ${files.write('change.yaml', change)}`)
    expect([exit, stderr]).toEqual([2, expect.stringMatching(message)])
    expect((await desk.svc('strategy show 1 --json')).stdout).toBe(shown)
  },
)

test('a change that names nothing is not looked up, and one that is listed is made', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  await desk.svc(`strategy create ${files.write('one.yaml', straddle('NIFTY'))}`)
  for (const change of ['overall_sl_mtm: 3000\n', 'underlying: NIFTY\n']) {
    expect(await desk.svc(`strategy update 1 ${files.write('change.yaml', change)}`)).toMatchObject({
      exit: 0,
    })
  }
})
