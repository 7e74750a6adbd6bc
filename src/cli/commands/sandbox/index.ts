import { countText } from '../../../views/text/count.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import { confirmSevere, type Look, sessionDestination } from '../../io/confirm.js'
import { config } from './config.js'
import { type Pnl, POSITION_COLUMNS, pnl } from './pnl.js'

const reset: CommandSpec = {
  name: 'reset',
  summary:
    'Clears the simulated account: orders, trades, positions, holdings and history. Its settings go back to their defaults.',
  examples: ['sandbox reset', 'sandbox reset --confirm RESET'],
  details:
    'Asks for the word RESET, or takes it from --confirm. Live orders and positions at the broker are not touched.',
  options: [{ flags: '--confirm <word>', summary: 'RESET, for scripts' }],
  async run(context, input) {
    await confirmSevere(context, input, {
      word: 'RESET',
      question: () => 'The simulated account is cleared, and its settings go back to their defaults',
      look: () => simulatedAccount(context),
    })
    const followUp = 'Check with: svc sandbox pnl'
    const { body } = await context.change('POST /sandbox/reset', {}, { followUp })
    await context.out.acted(body, 'The simulated account is cleared. Next: svc sandbox config list')
    return EXIT.done
  },
}

/** Returns the positions and holdings that a reset removes. */
async function simulatedAccount(context: Context): Promise<Look<Pnl['positions'][number]>> {
  const destination = await sessionDestination(context)
  const { positions, holdings, summary } = (await context.read('GET /sandbox/mypnl/api/data')).body.data
  const open = positions.filter(({ quantity }) => quantity !== 0)
  return {
    destination,
    facts: [
      `simulated account: ${countText(open.length, 'open position')}, ${countText(holdings.length, 'holding')}`,
    ],
    value: summary.portfolio_value,
    list: { rows: open, columns: POSITION_COLUMNS },
  }
}

const jobs = declared({
  name: 'jobs',
  summary: 'Lists the timed jobs of the sandbox: square-off, settlement, reset.',
  examples: ['sandbox jobs', 'sandbox jobs --json'],
  calls: 'GET /sandbox/squareoff-status',
  list: ({ data }) => ({
    rows: data.jobs,
    id: 'id',
    empty: 'No jobs.',
    columns: [
      { key: 'id', title: 'JOB' },
      { key: 'next_run', title: 'NEXT RUN', kind: 'time' },
      { key: 'last_run', title: 'LAST RUN', kind: 'time', leaves: 1 },
      { key: 'last_due', title: 'LAST DUE', kind: 'time', leaves: 2 },
    ],
  }),
})

export const sandbox: CommandSpec = {
  name: 'sandbox',
  summary: 'The simulated account of Analyzer mode: its settings, profit and reset.',
  examples: [
    'sandbox config list',
    'sandbox config set equity_mis_leverage 4',
    'sandbox pnl',
    'sandbox reset',
  ],
  verbs: [config, pnl, jobs, reset],
}
