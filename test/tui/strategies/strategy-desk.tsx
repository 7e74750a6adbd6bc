import { strategies } from '../../../src/tui/strategies/screen.js'
import { shown } from '../support/shown.js'
import { StrategyServer } from '../support/strategy-server.js'

export const Screen = strategies.View

/** The screen in a terminal of 80 by 24 on one strategy. */
export async function opened(prepare: (server: StrategyServer) => void = () => undefined) {
  const server = await StrategyServer.started()
  prepare(server)
  const app = await shown(server.access, <Screen width={80} height={21} />)
  await app.shows('Straddle')
  return { server, ...app }
}

export const running = (server: StrategyServer) => server.run()
