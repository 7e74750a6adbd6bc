import { existsSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Pause, ReplayReport, StrategyConfig } from '../../../../core/strategies/replay/index.js'
import { countText } from '../../../../views/text/count.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import type { Context } from '../../../framework/context.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { ProgressLine, progressText } from '../../../output/progress-line.js'
import { loadStrategies } from '../files/load.js'
import { findId } from '../find.js'
import { INPUT_OPTIONS, replayInput, wholeNumber } from './options.js'
import { showReport, VIEWS } from './report.js'
import { sweep } from './sweep.js'

const RANKS = ['pnl', 'drawdown', 'win_rate', 'profit_factor', 'average_trade', 'worst_trade'] as const
const MAX_TOP = 10_000
const USUAL_TOP = 10
const EXAMPLE =
  'strategy replay flows/strategies/short-straddle.yaml --from flows/strategies/short-straddle.bars.csv'

export const replay: CommandSpec = {
  name: 'replay',
  summary: 'Plays a strategy over recorded bars, with the engine of live runs, and shows trades and profit.',
  examples: [
    EXAMPLE,
    `${EXAMPLE} --show events`,
    `${EXAMPLE} --slippage 0.1% --json`,
    `${EXAMPLE} --set leg1.sl=20..40:10 --set leg2.sl=20..40:10 --rank drawdown`,
    'strategy replay flows/strategies/sbin-signals.yaml --from flows/strategies/sbin-signals.bars.csv --signals flows/strategies/sbin-signals.signals.csv',
  ],
  details:
    'A strategy file needs no daemon; a name or id reads the strategy of the daemon, and sends nothing.\n' +
    'An order fills in full at the first price that follows it. Costs are not counted.\n' +
    'How a bar becomes prices, and what a replay cannot know: docs/strategies-replay.md.',
  arguments: [
    {
      syntax: '<strategy>',
      summary: 'a strategy file, or the id, key or name of a strategy',
      complete: 'strategyNames',
    },
  ],
  options: [
    ...INPUT_OPTIONS,
    { flags: '--show <view>', summary: 'one part of the result', choices: VIEWS },
    {
      flags: '--set <field=values>',
      summary:
        'values to try: leg1.sl=10..40:5, leg2.target=20,30 or entry_time=09:20,09:30 (may be repeated)',
      repeatable: true,
    },
    {
      flags: '--rank <figure>',
      summary: 'what the best combination has most of (default: pnl)',
      choices: RANKS,
    },
    { flags: '--top <n>', summary: `the combinations to show (default: ${USUAL_TOP})` },
  ],
  async run(context, input) {
    const core = await import('../../../../core/strategies/replay/index.js')
    const { ServiceError } = await import('../../../../core/errors/index.js')
    const given = replayInput(input)
    const config = await configOf(context, input.required(0))
    const settings = input.list('set')
    const view = VIEWS.find((one) => one === input.text('show'))
    const rank = RANKS.find((one) => one === input.text('rank')) ?? 'pnl'
    const top = wholeNumber(input, 'top', USUAL_TOP, MAX_TOP)
    const line = new ProgressLine(context.io, context.settings)
    const pauses = pausesOf(context, line)
    try {
      const combinations = core.combinationsOf(config, settings.map(core.parseSetting))
      const replayer = core.openReplay(given)
      const [only, ...others] = combinations
      if (only && others.length === 0) {
        const report = await replayer.play(only.config, pauses())
        line.clear()
        await showReport(context, report, view)
        checkStarted(report)
      } else {
        if (view !== undefined) throw usageError('--show is for one replay; --set has several combinations.')
        await sweep(context, replayer, combinations, { line, pauses, rank, top })
      }
    } catch (error) {
      line.clear()
      if (!(error instanceof ServiceError)) throw error
      throw usageError(error.message)
    }
    return EXIT.done
  },
}

/**
 * Returns what makes the pauses of a replay: each shows how far it is, lets the process notice a Ctrl-C, and ends the replay
 * after one. The text stands before that of the replay.
 */
function pausesOf({ io }: Context, line: ProgressLine): (before?: string) => Pause {
  const interrupts = io.interrupts()
  return (before = '') =>
    async ({ endsAt, now, trades }) => {
      line.show(() => before + progressText(now, endsAt, countText(trades, 'trade')))
      await nextTurn()
      interrupts.throwIfAborted()
    }
}

/** A replay without a run is no result. */
function checkStarted({ events, notes, summary }: ReplayReport): void {
  const isIdle = summary.runs === 0 && events.length === 0 && notes.length > 0
  if (isIdle) throw new CliError(EXIT.failed, 'No run started: see the warnings.')
}

const FILE = /\.(ya?ml|json)$/i

/** Returns the configuration of a strategy file, or of a strategy of the daemon. */
async function configOf(context: Context, word: string): Promise<StrategyConfig> {
  if (FILE.test(word) || existsSync(word)) return fromFile(word)
  const { parseStrategy, STRATEGY_FIELDS } = await import('../../../../core/strategies/replay/index.js')
  const id = await findId(context, word)
  const { data } = (await context.read('GET /strategy/api/strategies/:id', { params: { id } })).body
  const fields = new Set(STRATEGY_FIELDS)
  return parseStrategy(Object.fromEntries(Object.entries(data).filter(([name]) => fields.has(name))))
}

async function fromFile(path: string): Promise<StrategyConfig> {
  const { strategies, findings } = await loadStrategies([path])
  if (findings.length > 0) {
    const { unreadable } = await import('../../flow/files/load.js')
    throw await unreadable(findings)
  }
  const [one, another] = strategies
  if (!one || another) throw usageError(`${path} must be one strategy file.`)
  return one.config
}
