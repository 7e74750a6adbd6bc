import { render } from 'ink-testing-library'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StrategyActs } from '../../../src/tui/strategies/acts.js'
import { StrategyFeed } from '../../../src/tui/strategies/feed.js'
import { StrategyScreen } from '../../../src/tui/strategies/StrategyScreen.js'
import { StrategyServer } from '../support/strategy-server.js'

/** A screen of 80 by 24 on one strategy. */
async function opened(prepare: (server: StrategyServer) => void = () => undefined) {
  const server = await StrategyServer.started()
  prepare(server)
  const feed = new StrategyFeed(server.access)
  const acts = new StrategyActs(server.access, () => void feed.refresh())
  let quits = 0
  const size = { columns: 80, rows: 23 }
  const app = render(<StrategyScreen {...{ feed, acts, size }} onQuit={() => (quits += 1)} />)
  onTestFinished(() => {
    feed.stop()
    app.unmount()
  })
  feed.start()
  const screen = () => app.lastFrame() ?? ''
  const shows = (text: string | RegExp) => expect.poll(screen, { timeout: 5000 }).toMatch(text)
  const press = async (key: string) => {
    app.stdin.write(key)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  await shows('Straddle')
  return { server, screen, shows, press, quits: () => quits, acts }
}

const ESC = '\u001b'
const running = (server: StrategyServer) => server.run()

describe('the list', () => {
  it('shows a running strategy with mode, profit and open legs, its legs and events, in 80 by 23', async () => {
    const { screen, shows } = await opened(running)
    await shows(/^ LIVE {2}zerodha auto asha {2}1 of 1 running {2}connected$/m)
    await shows(/^> +3 +Straddle .*running +sandbox +\+225\.00 +2 +open/m)
    await shows(/3 Straddle: run 31 in sandbox mode, prices .* old/)
    // A short at 100: the trailed stop 104 goes before the configured 110; the profit is (100 - 92) x 75.
    await shows(/1 +NIFTY24NOV26C +SELL +75 .*100\.00 +92\.00 +104\.00 .*\+600\.00 +ws/)
    await shows(/2 +NIFTY24NOV26P +SELL +75 .*100\.00 +105\.00 +110\.00 .*-375\.00 +ws/)
    await shows(/critical +Exit rejected on leg 1: no margin/)
    const lines = screen().split('\n')
    expect(lines.length).toBeLessThanOrEqual(23)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
  })

  it('shows the profit of the last run of a stopped strategy', async () => {
    const { shows } = await opened()
    await shows(/^> +3 +Straddle .*stopped .*-250\.50/m)
    await shows('3 Straddle: has never run')
  })

  it('shows the total that the daemon publishes', async () => {
    const { server, shows } = await opened(running)
    server.publish('strategy_run_update', { run_id: 31, mtm_total: 1234.5 })
    await shows(/Straddle .*\+1,234\.50/)
  })

  it('shows a stale feed of prices', async () => {
    const { shows } = await opened((server) => {
      server.checkpoint.legs = server.checkpoint.legs.map((leg) => ({ ...leg, source: 'stale' }))
      server.run()
    })
    await shows(/NIFTY24NOV26C .*stale/)
  })

  it('shows the streamed prices of a run that a restart resumed, whatever its older events say', async () => {
    const polled = {
      id: 10,
      run_id: 31,
      ts: '2026-11-20T04:46:00+00:00',
      kind: 'tick_source_switched_to_polling',
    }
    const { shows } = await opened((server) => {
      server.events.unshift({ ...polled, severity: 'warn', message: 'No streamed price', payload: null })
      server.run()
    })
    await shows(/NIFTY24NOV26C .* ws *$/m)
  })

  it('shows no profit of a run before its first price', async () => {
    const { shows } = await opened((server) => {
      server.checkpoint.legs = []
      server.run()
    })
    await shows(/^> +3 +Straddle .*running +sandbox +- +2 +open/m)
  })

  it('says that the daemon is away, and keeps the rows', async () => {
    const { server, shows, screen } = await opened(running)
    await server.stop()
    await shows(/NOT CONNECTED, shown as of/)
    expect(screen()).toContain('Straddle')
  })

  it('escapes control characters in a name', async () => {
    const { screen } = await opened((server) => {
      server.strategy.name = 'Straddle\u001b[2J\u202e'
    })
    expect(screen()).not.toContain('\u202e')
  })
})

describe('a start', () => {
  it('in the sandbox wants a mode and a yes', async () => {
    const { server, shows, press } = await opened()
    await shows('NIFTY weekly ATM CE')
    await press('s')
    await shows('In which mode?')
    await press('s')
    await shows('Start 3 Straddle in the sandbox? The service is in LIVE mode.')
    await shows('leg 2: SELL NIFTY weekly ATM PE')
    expect(server.changes).toEqual([])
    await press('y')
    await shows('Start of 3: run 31 has started in sandbox mode.')
    expect(server.changes).toEqual(['3/start{"mode":"sandbox"}'])
  })

  it('with live orders wants the typed word: neither y nor another word sends it', async () => {
    const { server, shows, press } = await opened()
    await shows('NIFTY weekly ATM CE')
    for (const word of ['y', 'liv']) {
      await press('s')
      await press('l')
      await shows('Type live to confirm')
      await press(word)
      await press('\r')
      await shows('enter details')
    }
    expect(server.changes).toEqual([])
    await press('s')
    await press('l')
    await shows('with LIVE orders at zerodha?')
    await press('live')
    await press('\r')
    await expect.poll(() => server.changes).toEqual(['3/start{"mode":"live"}'])
  })

  it('with live orders is not offered without the live switch', async () => {
    const { server, shows, press } = await opened((one) => {
      one.strategy.live_enabled = false
    })
    await shows('NIFTY weekly ATM CE')
    await press('s')
    await press('l')
    await shows('Live runs are not enabled: svc strategy live 3 on')
    expect(server.changes).toEqual([])
  })

  it('is not sent when the broker has changed since the question', async () => {
    const { server, shows, press } = await opened()
    await shows('NIFTY weekly ATM CE')
    await press('s')
    await press('l')
    await shows('Type live to confirm')
    server.account.broker = 'other'
    await press('live')
    await press('\r')
    await shows('Not sent: the mode or the broker has changed')
    expect(server.changes).toEqual([])
  })

  it('without an answer is in doubt, and is not repeated', async () => {
    const { server, shows, press } = await opened()
    await shows('NIFTY weekly ATM CE')
    server.isSilent = true
    await press('s')
    await press('s')
    await shows('in the sandbox?')
    await press('y')
    await shows('no answer, in doubt')
    expect(server.changes).toHaveLength(1)
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
    await shows('Close leg 2 of 3 Straddle?')
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
    await press('y')
    await shows('Closing of 3: refused. Exit refused: no session')
    expect(server.changes).toEqual(['3/close_all'])
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
    await shows('c close leg  C all  L lock  K kill  esc back')
    await press('\t')
    await shows(/\[events\][\s\S]*Run started in sandbox mode/)
    await press('\t')
    await shows(/\[runs\][\s\S]*31 +sandbox/)
    await press(ESC)
    await shows('enter details')
  })
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

it('q quits', async () => {
  const { press, quits } = await opened()
  await press('q')
  expect(quits()).toBe(1)
})
