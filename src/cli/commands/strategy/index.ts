import type { CommandSpec } from '../../framework/command/command.js'
import { create, remove, update } from './edit.js'
import { apply, drift, exportStrategies, plan, validate } from './files/files.js'
import { checkpoints, events, orderbook, orders, positions, runs, tradebook, webhookEvents } from './past.js'
import { release } from './release.js'
import { replay } from './replay/replay.js'
import { close, start, stop } from './runs.js'
import { list, show } from './show.js'
import { live, lock, token, unlock } from './switches.js'
import { watch } from './watch.js'
import { webhook } from './webhook.js'

const GROUPS: Readonly<Record<string, readonly CommandSpec[]>> = {
  Strategies: [list, show, create, update, remove],
  Runs: [start, stop, close, release, runs, orders, events, watch],
  'Books of a run': [orderbook, tradebook, positions, checkpoints],
  Switches: [live, lock, unlock, token, webhook, webhookEvents],
  'Recorded bars': [replay],
  'Files in git': [validate, plan, apply, drift, exportStrategies],
}

export const strategy: CommandSpec = {
  name: 'strategy',
  summary: 'Strategies: legs that are opened, watched and closed together, or by signals.',
  examples: [
    'strategy create straddle.yaml',
    'strategy list',
    'strategy start 1',
    'strategy events 1',
    'strategy stop 1',
    'strategy replay flows/strategies/short-straddle.yaml --from flows/strategies/short-straddle.bars.csv',
    'strategy apply strategies',
  ],
  verbs: Object.entries(GROUPS).flatMap(([group, verbs]) => verbs.map((verb) => ({ ...verb, group }))),
}
