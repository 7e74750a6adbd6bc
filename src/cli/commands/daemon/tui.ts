import { SCREEN_IDS } from '../../../views/screens.js'
import type { Column } from '../../../views/table/column.js'
import type { NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { canShowScreen, ownActs, showScreen } from '../../output/screen.js'
import { offerFirstSteps } from './first-look.js'

const ACT_COLUMNS = [
  { key: 'id', title: 'ACT' },
  { key: 'screen' },
  { key: 'keys' },
  { key: 'does' },
] as const satisfies readonly Column[]

export const tui: NounSpec = {
  summary:
    'Shows the day at a glance, approvals, orders, positions, workflows, the market and the service on the whole terminal.',
  details: [
    'Number keys change the screen, ? lists the keys, : runs a command of svc, ctrl-k jumps to a symbol, order, ' +
      'position, workflow or screen, q quits. Orders are reviewed and confirmed before they are sent.',
    '',
    'The file tui.yaml in the home has your own settings: theme (dark, light, high-contrast), bell (true or false), ' +
      'undo, such as "undo: {seconds: 3, from: 0}", and keys, such as "keys: {approvals.approve: p}". --keys lists the acts.',
  ].join('\n'),
  examples: ['tui', 'tui --screen market', 'tui --keys'],
  options: [
    {
      flags: '--screen <name>',
      summary: 'the screen to show first; the cockpit by default',
      choices: SCREEN_IDS,
    },
    { flags: '--keys', summary: 'list all acts with their keys, and show no screen' },
  ],
  columns: ACT_COLUMNS,
  async run(context, input) {
    if (input.flag('keys')) return listActs(context)
    if (!canShowScreen(context)) {
      throw usageError('svc tui needs a terminal. In a script use the other commands: svc help')
    }
    await offerFirstSteps(context)
    const name = input.text('screen')
    return showScreen(context, SCREEN_IDS.find((id) => id === name) ?? 'cockpit')
  },
}

async function listActs(context: Context) {
  await context.out.list({
    rows: await ownActs(context.settings.home),
    columns: ACT_COLUMNS,
    id: 'id',
    empty: 'There are no acts.',
  })
  return EXIT.done
}
