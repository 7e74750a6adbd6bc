import { describe, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { Tmux, tmuxMissing } from '../../support/tmux.js'

const missing = tmuxMissing()
const desk = commandDesk()

const SIGNALS = {
  ...{ name: 'Screen test', strategy_kind: 'signal', underlying: 'SBIN', underlying_exchange: 'NSE' },
  ...{ strategy_type: 'positional', product: 'MIS' },
  legs: [{ symbol: 'SBIN', exchange: 'NSE', segment: 'cash', side: 'both', qty: 1 }],
}

describe.skipIf(missing)(`svc strategy watch on a terminal${missing ? ` (${missing})` : ''}`, () => {
  it('locks and unlocks a webhook, shows the change of another client, survives a restart, and quits', async () => {
    const created = await desk.daemon.request('POST', '/strategy/api/strategies', SIGNALS)
    const { id } = created.body.data
    const tmux = await Tmux.opened({
      HOME: desk.daemon.home,
      SVC_HOME: desk.terminal.home,
      SVC_URL: desk.daemon.url,
      SVC_TOKEN: desk.daemon.token,
      NO_COLOR: '1',
      ...(process.env.E2E_RUN && { E2E_RUN: process.env.E2E_RUN }),
    })
    await tmux.svc('strategy watch')
    await tmux.shows(new RegExp(`^> +${id} +Screen test .*stopped`, 'm'))
    await tmux.shows(/info +Strategy 'Screen test' created/)
    await tmux.key('s')
    await tmux.shows('A signal strategy has no start')
    await tmux.key('K')
    await tmux.shows(`Lock the webhook of ${id} Screen test?`)
    await tmux.key('y')
    await tmux.shows(/Screen test .*locked/)
    await tmux.shows(/critical +Kill switch engaged/)
    await desk.daemon.request('POST', `/strategy/api/strategies/${id}/unlock_webhook`)
    await tmux.shows(/info +Webhook unlocked/)
    const port = Number(new URL(desk.daemon.url).port)
    await desk.daemon.kill()
    await tmux.shows('NOT CONNECTED')
    await desk.daemon.start({ port })
    await tmux.shows(/running {2}connected/)
    await tmux.key('q')
    await tmux.type('echo "exit $?"')
    await tmux.key('Enter')
    await tmux.shows('exit 0')
  })
})
