import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import { usageError } from '../../framework/errors.js'
import { canShowScreen, showScreen } from '../../output/screen.js'
import { apply, drift, exportStrategies, plan, validate } from './files/files.js'
import { checkpoints, events, orderbook, orders, positions, runs, tradebook, webhookEvents } from './past.js'
import { replay } from './replay/replay.js'
import { close, release, start, stop } from './runs.js'
import { create, list, remove, show, update } from './show.js'
import { live, lock, token, unlock, webhook } from './switches.js'
import { diff } from './versions/diff.js'
import { history, rollback } from './versions/history.js'

const watch: CommandSpec = {
  name: 'watch',
  summary: 'Shows the strategies live on the whole terminal, and starts and stops them by keys.',
  details: [
    'Arrows or j and k move, enter shows legs, events and runs (tab changes between them), s starts, x stops, ' +
      'c closes the selected leg, C closes all, L locks or unlocks the webhook, K is the kill switch, q quits.',
    'Each change is asked for first: a live start wants the typed word live, the kill switch of a run kill.',
    'In a script: svc strategy list --watch, or svc event follow.',
  ].join('\n'),
  examples: ['strategy watch'],
  async run(context) {
    if (!canShowScreen(context)) {
      throw usageError('strategy watch needs a terminal. In a script: svc strategy list --watch')
    }
    return showScreen(context, 'strategies')
  },
}

const GROUPS: Readonly<Record<string, readonly CommandSpec[]>> = {
  Strategies: [list, show, create, update, remove],
  Runs: [start, stop, close, release, runs, orders, events, watch],
  'Books of a run': [orderbook, tradebook, positions, checkpoints],
  Switches: [live, lock, unlock, token, webhook, webhookEvents],
  Versions: [history, diff, rollback],
  'Recorded bars': [replay],
  'Files in git': [validate, plan, apply, drift, exportStrategies],
}

export const strategy: NounSpec = {
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
