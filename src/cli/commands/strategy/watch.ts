import type { CommandSpec } from '../../framework/command/command.js'
import { usageError } from '../../framework/errors.js'
import { canShowScreen, showScreen } from '../../output/screen.js'

export const watch: CommandSpec = {
  name: 'watch',
  summary: 'Shows the strategies live on the whole terminal, and starts and stops them by keys.',
  details: [
    'Arrows or j and k move, enter shows legs, events and runs (tab changes between them), s starts, x stops,',
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
