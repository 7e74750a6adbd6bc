import { Text } from 'ink'
import { useState } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { StrategyFeed } from '../../../src/tui/strategies/feed.js'
import { heldAccount } from '../support/held-account.js'
import { heldChange } from '../support/held-change.js'
import { ESC, shown } from '../support/shown.js'
import { StrategyServer } from '../support/strategy-server.js'
import { opened, running, Screen } from './strategy-desk.js'

describe('the list', () => {
  it('shows a running strategy with mode, profit and open legs, its legs and events, in 80 by 24', async () => {
    const { screen, shows } = await opened(running)
    await shows(/^ 1 of 1 running +1 of 1$/m)
    await shows(/^> +3 +Straddle .*running +sandbox +\+225\.00 +2 +open/m)
    await shows(/3 Straddle: run 31 in sandbox mode, prices .* old/)
    // A short at 100: the profit is (100 - 92) x 75.
    await shows(/1 +NIFTY24NOV26C +SELL +75 .*100\.00 +92\.00 +104\.00 .*\+600\.00 +ws/)
    await shows(/2 +NIFTY24NOV26P +SELL +75 .*100\.00 +105\.00 +110\.00 .*-375\.00 +ws/)
    await shows(/critical +Exit rejected on leg 1: no margin/)
    const lines = screen().split('\n')
    expect(lines.length).toBeLessThanOrEqual(21)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
  })

  it('shows that nobody manages a reserved run', async () => {
    const { shows } = await opened((server) => {
      server.strategy = { ...server.strategy, status: 'running', current_run_id: 31, run_state: 'reserved' }
    })
    await shows(/^> +3 +Straddle .*reserved/m)
    await shows(/3 Straddle: run 31 in sandbox mode, RESERVED: nobody manages it/)
  })

  it('shows the profit of the last run of a stopped strategy', async () => {
    const { shows } = await opened()
    await shows(/^> +3 +Straddle .*stopped .*-250\.50/m)
    await shows('3 Straddle: has never run')
  })

  it('shows the changes of a run as they come, without reading it again', async () => {
    const { server, shows } = await opened(running)
    await shows(/NIFTY24NOV26C .*92\.00/)
    const reads = server.reads
    server.sendRun('strategy_delta', {
      run_id: 31,
      mtm_total: 1234.5,
      legs: [{ leg_id: 1, ltp: 90.5, mtm: 712.5, tick_source: 'stale' }],
    })
    await shows(/Straddle .*\+1,234\.50/)
    await shows(/NIFTY24NOV26C +SELL +75 .*100\.00 +90\.50 +104\.00 .*\+712\.50 +stale/)
    await shows(/NIFTY24NOV26P +SELL +75 .*100\.00 +105\.00 .*ws/)
    expect(server.reads - reads).toBeLessThanOrEqual(1)
  })

  it('shows no profit of a run before its first price', async () => {
    const { shows } = await opened((server) => {
      server.legs = server.legs.map((leg) => ({ ...leg, ltp: null }))
      server.run()
    })
    await shows(/^> +3 +Straddle .*running +sandbox +- +2 +open/m)
  })

  it('keeps the legs of a run that has ended', async () => {
    const { server, shows } = await opened(running)
    await shows(/NIFTY24NOV26C .*92\.00/)
    server.sendRun('strategy_terminal', {
      run_id: 31,
      mode: 'sandbox',
      state: 'finished',
      mtm_total: 600,
      legs: server.legs.map((leg) => ({ ...leg, qty: 0, status: 'closed', mtm: 0, realized_pnl: 300 })),
    })
    await shows(/NIFTY24NOV26C +SELL +0 .*\+300\.00/)
  })

  it('says why it is not read', async () => {
    const server = await StrategyServer.started()
    await server.stop()
    await (await shown(server.access, <Screen width={80} height={21} />)).shows('Not read: ')
  })

  it('keeps the rows while the daemon is away', async () => {
    const { server, desk, screen } = await opened(running)
    await server.stop()
    await expect.poll(() => desk.connection.state.get().kind).toBe('lost')
    expect(screen()).toContain('Straddle')
  })

  it('escapes control characters in a name', async () => {
    const { screen } = await opened((server) => {
      server.strategy.name = 'Straddle\u001b[2J\u202e'
    })
    expect(screen()).not.toContain('\u202e')
  })
})

describe('a run', () => {
  it('x stops it after a yes that names the open legs; n sends nothing', async () => {
    const { server, shows, press } = await opened(running)
    await shows('run 31 in sandbox')
    await press('x')
    await shows('leg 1: SELL 75 NIFTY24NOV26C')
    await press('n')
    await shows('enter details')
    expect(server.changes).toEqual([])
    await press('x')
    await shows('Stop 3 Straddle')
    await press('y')
    await shows('Stop of 3: run 31 is stopped.')
    expect(server.changes).toEqual(['3/stop'])
  })

  it('c closes the selected leg only', async () => {
    const { server, shows, press } = await opened(running)
    await shows('run 31 in sandbox')
    await press('\r')
    await shows('[legs]')
    await press('j')
    await press('c')
    await shows('Close leg 2 of 3 Straddle in the sandbox?')
    await press('y')
    await expect.poll(() => server.changes).toEqual(['3/legs/2/close'])
    await shows('Closing of leg 2 of 3: the exit is sent; run 31 goes on.')
    await shows('[legs]')
  })

  it('C closes all, and shows the reason of a refusal', async () => {
    const { server, shows, press } = await opened(running)
    await shows('run 31 in sandbox')
    server.refusal = { status: 409, body: { status: 'error', message: 'Exit refused: no session' } }
    await press('C')
    await shows('Close every position of 3 Straddle in the sandbox?')
    await press('y')
    await shows('Closing of 3: refused. Exit refused: no session')
    expect(server.changes).toEqual(['3/close_all'])
  })

  it.each([
    ['x', 'Stop 3 Straddle', 'Its open legs are not read yet.'],
    ['C', 'Close every position of 3 Straddle', 'Its open legs are not read yet.'],
    ['K', 'Lock the webhook of 3 Straddle', 'Its open legs are not read yet.'],
    ['c', 'The legs are not read yet.', 'The legs are not read yet.'],
  ])('%s names no leg of an earlier run', async (key, title, legs) => {
    const { desk, server, screen, shows, press } = await opened((one) => {
      one.others = [{ ...one.strategy, id: 4, name: 'Strangle' }]
      one.run()
    })
    await shows('run 31 in sandbox')
    await press('j')
    await shows('4 Strangle: has never run')
    server.strategy = { ...server.strategy, current_run_id: 32 }
    server.publish('strategy_event')
    const listed = () => desk.part(StrategyFeed).state().content.rows
    await expect.poll(() => listed()[0]?.current_run_id).toBe(32)
    // The list says that run 32 goes on, and the details of the last visit are those of run 31.
    server.isHeld = true
    await press('k')
    await press('\r')
    await shows('[legs]')
    await press(key)
    await shows(title)
    await shows(legs)
    expect(screen()).not.toContain('leg 1: SELL 75')
  })

  it.each([
    ['x', 'Stop 3 Straddle'],
    ['C', 'Close every position of 3 Straddle'],
    ['c', 'Close leg 1 of 3 Straddle'],
  ])('%s names LIVE and the broker, and sends no exit after the broker has changed', async (key, title) => {
    const { server, shows, press } = await opened((one) => {
      one.mode = 'live'
      one.run()
    })
    await shows('run 31 in live')
    await press('\r')
    await shows('[legs]')
    await press(key)
    await shows(title)
    await shows(/with\s+LIVE\s+orders\s+at\s+zerodha\?/)
    server.account.broker = 'other'
    await press('y')
    await shows('Not sent: the mode or the broker has changed')
    expect(server.changes).toEqual([])
  })

  it('a question that the user leaves before it is there does not open later', async () => {
    const { desk, shows, screen, press } = await opened(running)
    await shows('run 31 in sandbox')
    const answers = heldAccount(desk)
    await press('x')
    await shows('Asking the daemon …')
    await press(ESC)
    await shows('enter details')
    await answers()
    expect(screen()).toContain('enter details')
  })

  it('is not stopped when the user leaves while the daemon is asked for the mode again', async () => {
    const { server, desk, shows, press } = await opened(running)
    await shows('run 31 in sandbox')
    await press('x')
    await shows('Stop 3 Straddle')
    const answers = heldAccount(desk)
    await press('y')
    await shows('Asking the daemon …')
    await press(ESC)
    await shows('enter details')
    await answers()
    await desk.settled()
    expect(server.changes).toEqual([])
  })

  it('a question stays while another change waits', async () => {
    const { server, desk, shows, press } = await opened(running)
    await shows('run 31 in sandbox')
    const other = heldChange('Cancel')
    desk.changes.start(other)
    await press('x')
    await shows('Stop 3 Straddle')
    await press('y')
    await shows('Stop of 3: not sent. Another change waits for its answer.')
    await shows('Stop 3 Straddle, and close every position')
    expect(server.changes).toEqual([])
    other.answer()
    await desk.settled()
    await press('y')
    await shows('Stop of 3: run 31 is stopped.')
    expect(server.changes).toEqual(['3/stop'])
  })

  it('a second y before the next drawing sends nothing more', async () => {
    const { server, desk, shows, press } = await opened(running)
    await shows('run 31 in sandbox')
    await press('x')
    await shows('Stop 3 Straddle')
    const accountNow = vi.spyOn(desk, 'accountNow')
    await press('yy')
    await shows('Stop of 3: run 31 is stopped.')
    expect(accountNow).toHaveBeenCalledTimes(1)
    expect(server.changes).toEqual(['3/stop'])
  })

  it('K locks the webhook and stops the run, after the word kill', async () => {
    const { server, shows, press } = await opened(running)
    await shows('run 31 in sandbox')
    await press('L')
    await shows('The lock stops the run too: press K.')
    await press('K')
    await press('kill')
    expect(server.changes).toEqual([])
    await press('\r')
    await expect.poll(() => server.changes).toEqual(['3/kill_switch'])
  })

  it('tab leads through legs, events and runs; esc leads back', async () => {
    const { shows, press } = await opened(running)
    await shows('run 31 in sandbox')
    await press('\r')
    await shows('c close leg  C all  L lock  K kill  esc back  ? keys')
    await press('\t')
    await shows(/\[events\][\s\S]*Run started in sandbox mode/)
    await press('\t')
    await shows(/\[runs\][\s\S]*31 +sandbox/)
    await press(ESC)
    await shows('enter details')
  })
})

describe('the lists of events and runs', () => {
  const event = (id: number) => ({
    id,
    run_id: 31,
    ts: '2026-11-20T04:45:00+00:00',
    kind: 'run_started',
    severity: 'info',
    payload: null,
    message: `Event ${id}.`,
  })
  const first = (screen: string) => /\[events\].*\n.*\n.*(Event \d+\.)/.exec(screen)?.[1]

  it('scroll to the oldest event and back; a scrolled list stays where it is when an event comes', async () => {
    const { server, screen, shows, press } = await opened((one) => {
      one.events = Array.from({ length: 60 }, (_, index) => event(60 - index))
      one.run()
    })
    await shows('run 31 in sandbox')
    await press('\r')
    await press('\t')
    await expect.poll(() => first(screen())).toBe('Event 60.')
    await press('j')
    await expect.poll(() => first(screen())).toBe('Event 59.')
    await shows('1 newer above')
    server.events = [event(61), ...server.events]
    server.publish('strategy_event')
    await shows('2 newer above')
    expect(first(screen())).toBe('Event 59.')
    await press('G')
    await shows('Event 1.')
    await press('g')
    await expect.poll(() => first(screen())).toBe('Event 61.')
  })
})

it('a question names its keys once', async () => {
  const { screen, shows, press } = await opened(running)
  await shows('run 31 in sandbox')
  await press('x')
  await shows('y yes  n no')
  expect(screen().match(/yes/g)).toHaveLength(1)
  await press('n')
  await press('K')
  await shows('Type kill to confirm')
  expect(screen().match(/cancel/g)).toHaveLength(1)
})

it('L locks and unlocks the webhook of a strategy that does not run', async () => {
  const { server, shows, press } = await opened()
  await press('L')
  await shows('Lock the webhook of 3 Straddle?')
  await press('y')
  await expect.poll(() => server.changes).toEqual(['3/kill_switch'])
  server.strategy.webhook_locked = true
  server.publish('strategy_event')
  await shows(/Straddle .*locked/)
  await press('L')
  await shows('Unlock the webhook of 3 Straddle?')
  await press('y')
  await expect.poll(() => server.changes).toEqual(['3/kill_switch', '3/unlock_webhook'])
})

it('keeps the list of legs, events or runs, and the runs are live again, after another screen was shown', async () => {
  const server = await StrategyServer.started()
  server.run()
  let leave: () => void = () => undefined
  const Program = () => {
    const [isAway, setAway] = useState(false)
    leave = () => setAway(!isAway)
    return isAway ? <Text>another screen</Text> : <Screen width={80} height={21} />
  }
  const { screen, shows, press } = await shown(server.access, <Program />)
  await shows(/NIFTY24NOV26C .*92\.00/)
  await press('\r')
  await shows('[legs]')
  leave()
  await shows('another screen')
  leave()
  await shows('[legs]')
  // The connection of the first visit may end after that of the second has begun.
  const afterDelta = () => {
    server.sendRun('strategy_delta', { run_id: 31, legs: [{ leg_id: 1, ltp: 90.5, mtm: 712.5 }] })
    return screen()
  }
  await expect.poll(afterDelta).toMatch(/NIFTY24NOV26C .*90\.50/)
})

it('/ shows only the strategies with a text', async () => {
  const { shows, press } = await opened()
  await press('/')
  await shows('Filter:')
  await press('nothing')
  await shows('No strategy passes the filter.')
  await press(ESC)
  await shows('Straddle')
})
