import { describe, expect, it } from 'vitest'
import type { ReplayProgress } from '../../../../src/core/strategies/replay/index.js'
import { replayInTurns } from '../../../../src/core/strategies/replay/results/report.js'
import { bars, CALL, flat, PUT, play, requestOf, signalStrategy, straddle, tradeLines } from './rig.js'

const INDEX = bars('NSE_INDEX:NIFTY', [flat('09:19', 26_010), flat('09:20', 26_012)])

describe('hand-worked replays, to the paisa', () => {
  it('sells the straddle at the first price after the entry time and squares off at the exit time', () => {
    const report = play(straddle(), [
      INDEX,
      bars(`NFO:${CALL}`, [flat('09:19', 99), flat('09:20', 100), flat('15:14', 90), flat('15:15', 91)]),
      bars(`NFO:${PUT}`, [flat('09:19', 79), flat('09:20', 80), flat('15:14', 82), flat('15:15', 82.5)]),
    ])
    // 75 x (100 - 91) = 675; 75 x (80 - 82.50) = -187.50.
    expect(tradeLines(report)).toEqual([
      `1 short 75 ${CALL} 09:20:00 100 15:15:00 91 exit_eod 675`,
      `2 short 75 ${PUT} 09:20:00 80 15:15:00 82.5 exit_eod -187.5`,
    ])
    expect(report.summary).toMatchObject({
      pnl: 487.5,
      realized: 487.5,
      unrealized: 0,
      trades: 2,
      open: 0,
      runs: 1,
      wins: 1,
      losses: 1,
      win_rate: 50,
      best_trade: 675,
      worst_trade: -187.5,
      average_trade: 243.75,
      profit_factor: 3.6,
    })
    expect(report.runs).toEqual([
      {
        run: 1,
        started: '2026-11-20T09:20:00+05:30',
        stopped: '2026-11-20T15:15:00+05:30',
        reason: 'eod',
        pnl: 487.5,
      },
    ])
    expect(report.notes).toEqual([])
  })

  it('walks a bar from the open to the nearer extreme, the other extreme and the close', () => {
    // Low is nearer the open: 100, 99, 110, 105. A stop 8 above 100 is hit at 110 and filled at the close.
    const legs = [{ ...leg('CE'), sl_pts: 8 }]
    const report = play(straddle({ legs }), [
      INDEX,
      bars(`NFO:${CALL}`, [flat('09:20', 100), '09:21 100 110 99 105', flat('15:15', 50)]),
    ])
    expect(tradeLines(report)).toEqual([`1 short 75 ${CALL} 09:20:00 100 09:21:45 105 exit_sl -375`])
    expect(report.events.map(({ kind, time }) => `${time.slice(11, 19)} ${kind}`)).toEqual([
      '09:20:00 run_started',
      '09:20:00 leg_entry_placed',
      '09:20:00 leg_entry_filled',
      '09:21:30 leg_sl_hit',
      '09:21:30 leg_exit_placed',
      '09:21:45 leg_exit_filled',
      '09:21:45 run_stopped',
    ])
  })

  it('fills near the level when the path has more steps', () => {
    const legs = [{ ...leg('CE'), sl_pts: 8 }]
    const rows = [flat('09:20', 100), '09:21 100 110 99 105', flat('15:15', 50)]
    const report = play(straddle({ legs }), [INDEX, bars(`NFO:${CALL}`, rows)], { steps: 11 })
    // From 99 to 110 in steps of 1: 108 hits, 109 fills.
    expect(report.trades[0]).toMatchObject({ exit_price: 109, pnl: -675 })
  })

  it('enters again at the price after the exit, once', () => {
    const legs = [{ ...leg('CE'), sl_pts: 8, reentry: { on: 'sl', mode: 'asap', max: 1 } }]
    const rows = [flat('09:20', 100), flat('09:21', 110), flat('09:22', 120), flat('15:15', 111)]
    const report = play(straddle({ legs }), [INDEX, bars(`NFO:${CALL}`, rows)])
    // Hit, exit and re-entry are three ticks of the bar of 09:21. The second stop is at 118.
    expect(tradeLines(report)).toEqual([
      `1 short 75 ${CALL} 09:20:00 100 09:21:15 110 exit_sl -750`,
      `1 short 75 ${CALL} 09:21:30 110 09:22:15 120 exit_sl -750`,
    ])
    expect(report.summary).toMatchObject({ pnl: -1500, max_drawdown: -1500, runs: 1 })
    expect(report.runs[0]?.reason).toBe('manual')
  })

  it('makes every fill worse by the slippage', () => {
    const files = [INDEX, bars(`NFO:${CALL}`, [flat('09:20', 100), flat('15:15', 90)])]
    const legs = [leg('CE')]
    const points = play(straddle({ legs }), files, { slippage: { unit: 'points', value: 0.25 } })
    expect(points.trades[0]).toMatchObject({ entry_price: 99.75, exit_price: 90.25, pnl: 712.5 })
    const percent = play(straddle({ legs }), files, { slippage: { unit: 'percent', value: 1 } })
    expect(percent.trades[0]).toMatchObject({ entry_price: 99, exit_price: 90.9, pnl: 607.5 })
  })

  it('follows a trail on an equity that signals bought', () => {
    const legs = [{ symbol: 'SBIN', exchange: 'NSE', qty: 10, trail: { x: 5, y: 0 } }]
    const report = play(
      signalStrategy({ legs }),
      [
        bars('NSE:SBIN', [
          flat('09:29', 799),
          ...[flat('09:30', 800), flat('09:31', 806), flat('09:32', 812), flat('09:33', 807)],
          flat('15:15', 830),
        ]),
      ],
      { signals: 'time,signal,leg_id\n2026-11-20 09:30,long_entry,1\n' },
    )
    // Armed at 806 (stop 801), moved at 812 (stop 807), hit at 807 and filled there.
    expect(tradeLines(report)).toEqual(['1 long 10 SBIN 09:30:00 800 09:33:15 807 exit_trail 70'])
    expect(report.runs).toMatchObject([{ reason: 'eod', pnl: 70 }])
  })

  it('flips by signals and pays no attention to those outside the window', () => {
    const signals = [
      'time,signal,symbol',
      '2026-11-20 09:16,long_entry,SBIN',
      '2026-11-20 09:30,long_entry,SBIN',
      '2026-11-20 09:40,short_entry,SBIN',
      '2026-11-20 09:50,short_exit,SBIN',
      '2026-11-20 15:15,long_entry,SBIN',
      '2026-11-20 15:20,long_exit,OTHER',
    ].join('\n')
    const rows = [flat('09:15', 799), flat('09:30', 800), flat('09:40', 810), flat('09:50', 806)]
    const report = play(signalStrategy(), [bars('NSE:SBIN', [...rows, flat('15:15', 1), flat('15:20', 1)])], {
      signals,
    })
    expect(tradeLines(report)).toEqual([
      '1 long 10 SBIN 09:30:00 800 09:40:00 810 exit_signal 100',
      '1 short 10 SBIN 09:40:00 810 09:50:00 806 exit_signal 40',
    ])
    expect(report.notes).toEqual([
      'signals.csv:2: no effect (outside_entry_window)',
      'signals.csv:6: no effect (outside_trading_window)',
      'signals.csv:7: No leg matches this signal',
    ])
  })

  it('locks the profit of a futures breakout', () => {
    const legs = [{ segment: 'futures', position: 'B', lots: 1, expiry: 'current', sl_pts: 50 }]
    const lock_profit = {
      mode: 'lock_and_trail',
      if_profit_reaches: 5000,
      lock_profit: 2000,
      trail_step: 1500,
    }
    const rows = [
      flat('09:30', 26_000),
      flat('09:31', 26_080),
      flat('09:32', 26_100),
      flat('09:33', 26_079),
      flat('15:15', 26_500),
    ]
    const report = play(straddle({ legs, lock_profit }), [bars('NFO:NIFTY24NOV26FUT', rows)])
    // 75 x 80 = 6000 arms (floor 4500), 75 x 100 = 7500 (floor 6000), 75 x 79 = 5925 triggers.
    expect(report.trades).toMatchObject([{ exit_price: 26_079, exit_kind: 'exit_lock_profit', pnl: 5925 }])
    expect(report.runs).toMatchObject([{ reason: 'lock_profit' }])
  })
})

describe('contracts', () => {
  const files = [
    INDEX,
    bars(`NFO:${CALL}`, [flat('09:20', 100), flat('15:15', 91)]),
    bars('NFO:NIFTY24NOV2626050CE', [flat('09:20', 70), flat('15:15', 60)]),
  ]

  it('takes the strike nearest the last price of the underlying before the entry', () => {
    const call = leg('CE')
    const report = play(straddle({ legs: [call, { ...call, atm_offset: 'OTM1' }] }), files)
    expect(report.trades.map(({ symbol }) => symbol)).toEqual([CALL, 'NIFTY24NOV2626050CE'])
  })

  it('takes the chosen contracts without the underlying', () => {
    const report = play(straddle({ legs: [leg('CE')] }), files.slice(1), { chosen: { 1: CALL } })
    expect(report.trades.map(({ symbol }) => symbol)).toEqual([CALL])
  })

  it.each([
    [
      'the underlying',
      files.slice(1),
      {},
      'the strikes depend on NSE_INDEX:NIFTY, and the files have no bar',
    ],
    ['the chosen contract', files, { chosen: { 1: PUT } }, `${PUT} is not a contract on NFO`],
  ])('says that %s is missing', (_what, given, options, text) => {
    const report = play(straddle({ legs: [leg('CE')] }), given, options)
    expect(report.trades).toEqual([])
    expect(report.notes).toEqual([expect.stringContaining(`2026-11-20: no start, ${text}`)])
  })

  it('says that no lot size is known', () => {
    const file = files[1]
    if (!file) throw new Error('no file')
    const unknown = { ...file, text: file.text.replaceAll(',75\n', ',\n') }
    const config = straddle({ legs: [leg('CE')] })
    const refused = play(config, [unknown], { chosen: { 1: CALL } })
    expect(refused.notes).toEqual([
      `2026-11-20: no start, No lot size is known for ${CALL}. A replay knows the contracts that have bars`,
    ])
    const told = play(config, [unknown], { chosen: { 1: CALL }, lotSizes: { NIFTY: 65 } })
    expect(told.trades).toMatchObject([{ quantity: 65 }])
  })

  it('squares a leg off ten minutes before its contract ends', () => {
    const rows = [flat('2026-11-24 09:20', 100), flat('2026-11-24 15:20', 91), flat('2026-11-24 15:25', 5)]
    const config = straddle({
      strategy_type: 'positional',
      exit_time: null,
      product: 'NRML',
      legs: [{ ...leg('CE'), strike_mode: 'strike', strike: 26_000 }],
    })
    const report = play(config, [bars(`NFO:${CALL}`, rows)])
    expect(tradeLines(report)).toEqual([`1 short 75 ${CALL} 09:20:00 100 15:20:00 91 exit_expiry 675`])
  })
})

describe('bars that are missing', () => {
  it('names the leg, counts the bars and says where the first one is missing', () => {
    const report = play(straddle(), [
      bars('NSE_INDEX:NIFTY', [flat('09:19', 26_010), flat('09:20', 26_010), flat('09:23', 26_000)]),
      bars(`NFO:${CALL}`, [flat('09:20', 100), flat('09:21', 100), flat('09:23', 90)]),
      bars(`NFO:${PUT}`, [flat('09:20', 80), flat('09:21', 80), flat('09:23', 81), flat('15:15', 82)]),
    ])
    expect(report.gaps.map(({ leg_id, symbol }) => `${leg_id} ${symbol}`)).toEqual([`1 ${CALL}`, `2 ${PUT}`])
    expect(report.gaps[1]).toMatchObject({ date: '2026-11-20', first: '2026-11-20 09:22' })
  })

  it('keeps a position open whose exit no price follows, and values it at the last price', () => {
    const report = play(straddle(), [
      INDEX,
      bars(`NFO:${CALL}`, [flat('09:20', 100), flat('15:14', 90)]),
      bars(`NFO:${PUT}`, [flat('09:20', 80), flat('15:15', 82)]),
    ])
    expect(tradeLines(report)).toEqual([
      `1 short 75 ${CALL} 09:20:00 100 - - open 750`,
      `2 short 75 ${PUT} 09:20:00 80 15:15:00 82 exit_eod -150`,
    ])
    expect(report.summary).toMatchObject({ open: 1, pnl: 600, realized: -150, unrealized: 750 })
    expect(report.runs).toMatchObject([{ stopped: null, reason: null, pnl: 600 }])
  })
})

describe('several days', () => {
  const rows = (date: string) => [flat(`${date} 09:20`, 100), flat(`${date} 15:15`, 90)]
  const days = ['2026-11-19', '2026-11-20', '2026-11-23'].flatMap(rows)
  const config = straddle({ legs: [{ ...leg('CE'), strike_mode: 'strike', strike: 26_000 }] })

  it('starts an intraday strategy on each day', () => {
    const report = play(config, [bars(`NFO:${CALL}`, days)])
    expect(report.runs.map(({ started }) => started.slice(0, 10))).toEqual([
      '2026-11-19',
      '2026-11-20',
      '2026-11-23',
    ])
    expect(report.summary).toMatchObject({ days: 3, pnl: 2250 })
  })

  it('starts on the days of an enabled scheduler, at its times', () => {
    const scheduler = { enabled: true, days: ['FRI'], start_time: '09:20', auto_stop_time: '15:10' }
    const report = play({ ...config, scheduler }, [bars(`NFO:${CALL}`, days)])
    expect(report.runs).toMatchObject([{ started: '2026-11-20T09:20:00+05:30', reason: 'scheduler' }])
  })

  it('carries a positional strategy over the nights', () => {
    const positional = { ...config, strategy_type: 'positional', exit_time: null, product: 'NRML' }
    const report = play(positional, [bars(`NFO:${CALL}`, days)])
    expect(report.trades).toMatchObject([{ exit_time: null, pnl: 750 }])
  })
})

function leg(option_type: 'CE' | 'PE') {
  return { segment: 'options', position: 'S', lots: 1, expiry: 'weekly', option_type }
}

it('the daily loss limit of a run does not count what an earlier run lost before 03:00', () => {
  const carried = { strategy_type: 'positional', product: 'CNC', entry_time: null, exit_time: null }
  const signals = ['time,signal,leg_id', '2026-11-19 10:00,long_entry,1', '2026-11-20 10:00,long_entry,1']
  const rows = [
    ...[flat('2026-11-19 10:00', 800), flat('2026-11-19 10:01', 760)],
    ...[flat('10:00', 755), flat('10:01', 755), flat('10:02', 745), flat('10:03', 745)],
  ]
  const report = play(signalStrategy({ ...carried, daily_loss_limit_inr: 500 }), [bars('NSE:SBIN', rows)], {
    signals: `${signals.join('\n')}\n`,
  })
  // The first run lost 450, of which 50 on its second day. The second run loses 100.
  expect(report.runs).toMatchObject([
    { reason: 'eod', pnl: -450 },
    { reason: null, pnl: -100 },
  ])
})

it('says how far it is on each day and within it, and an error of who is told ends it', async () => {
  const minutes = Array.from({ length: 375 }, (_, minute) => {
    const at = 9 * 60 + 15 + minute
    return `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`
  })
  const days = ['2026-11-19', '2026-11-20'].flatMap((day) =>
    minutes.map((minute) => flat(`${day} ${minute}`, 800)),
  )
  const signals = 'time,signal,leg_id\n2026-11-19 10:00,long_entry,1\n2026-11-20 10:00,long_entry,1\n'
  const request = requestOf(signalStrategy(), [bars('NSE:SBIN', days)], { signals })
  const told: ReplayProgress[] = []
  await replayInTurns(request, async (progress) => void told.push(progress))
  const at = (text: string) => Date.parse(`${text}+05:30`)
  expect(told.map(({ now }) => now)).toEqual(
    ['2026-11-19T09:16', '2026-11-19T10:55', '2026-11-19T12:35', '2026-11-19T14:15', '2026-11-20T09:16']
      .concat(['2026-11-20T09:40', '2026-11-20T11:20', '2026-11-20T13:00', '2026-11-20T14:40'])
      .map(at),
  )
  expect(new Set(told.map(({ endsAt }) => endsAt))).toEqual(new Set([at('2026-11-20T15:30')]))
  expect([told[0]?.trades, told.at(-1)?.trades]).toEqual([0, 2])
  const stop = async () => {
    throw new Error('Ctrl-C')
  }
  await expect(replayInTurns(request, stop)).rejects.toThrow('Ctrl-C')
})
