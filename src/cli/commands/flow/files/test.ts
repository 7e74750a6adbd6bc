import type { LocatedScenario, WorkflowFile } from '../../../../core/flows/files/index.js'
import type { RehearsalOptions } from '../../../../daemon/flows/rehearsal/index.js'
import { visible } from '../../../../views/table/cells.js'
import { countText } from '../../../../views/text/count.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import type { Context } from '../../../framework/context.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { ProgressLine, progressText } from '../../../output/progress-line.js'
import { documentsAt } from '../plans/documents.js'
import { fileText, noWorkflowText, workflowFileOf } from './folder.js'
import { unreadable } from './load.js'

/** A case and its workflow. */
interface Planned {
  file: string
  scenario: LocatedScenario
  workflow: WorkflowFile
}

/** The outcome of a case. */
interface Played {
  file: string
  line: number
  name: string
  status: 'ok' | 'failed'
  differences: string[]
  /** The errors of the nodes, if the case failed. */
  failures: string[]
}

/** Recorded bars of one symbol, in the form a rehearsal takes. */
type Replayed = NonNullable<RehearsalOptions['replays']>[number]

const REPLAY = /^([A-Z_]+:[^=\s]+)=(.+)$/
/** A year of one-minute bars is about 7 MB. */
const MAX_BARS_BYTES = 64 * 1024 * 1024

export const test: CommandSpec = {
  name: 'test',
  summary:
    'Runs the scenarios of workflow files on a simulated market, without a daemon. Exit 1 when one fails.',
  examples: [
    'flow test flows',
    'flow test flows/webhook-order.test.yaml --filter cash',
    'flow test flows --replay NSE:SBIN=bars.csv',
  ],
  details:
    'Each case runs in its own complete service, with its own clock, in a temporary folder: nothing reaches your home,\n' +
    'a broker or the network. The cases of orb.yaml are in orb.test.yaml beside it.',
  arguments: [{ syntax: '<path...>', summary: 'scenario files, or directories of them' }],
  options: [
    { flags: '--filter <text>', summary: 'only cases whose name contains this text' },
    {
      flags: '--replay <symbol=file>',
      summary: 'recorded one-minute bars (CSV) for a symbol, as NSE:SBIN=bars.csv (may be repeated)',
      repeatable: true,
    },
  ],
  async run(context, input) {
    const cases = await planned(input.words(0), input.text('filter'))
    const replays = await Promise.all(input.list('replay').map(replayOf))
    const played: Played[] = []
    for (const one of cases) {
      const line = new ProgressLine(context.io, context.settings)
      const result = await play(one, {
        replays,
        onProgress: ({ endsAt, now, orders }) =>
          line.show(() => progressText(now, endsAt, countText(orders, 'order'))),
      })
      line.clear()
      if (context.settings.format === undefined) show(context, result)
      played.push(result)
    }
    if (context.settings.format !== undefined) {
      await context.out.list({ rows: played.map((one) => ({ ...one })), columns: [], id: 'name', empty: '' })
    }
    const failed = played.filter(({ status }) => status === 'failed').length
    context.out.note(`${countText(played.length, 'case')}, ${failed} failed.`)
    return failed > 0 ? EXIT.failed : EXIT.done
  },
}

/** Returns the cases in the files at the paths. @throws CliError for files that cannot be read */
async function planned(paths: readonly string[], filter: string | undefined): Promise<Planned[]> {
  const { isScenarioName, readScenarios } = await import('../../../../core/flows/files/index.js')
  const { scenario, workflow: others } = await documentsAt(paths, 'workflow')
  // A file with the name of scenarios and another content is a mistake, which reading it tells.
  const files = [...scenario, ...others.filter(isScenarioName)]
  if (files.length === 0) throw usageError('No scenario file found.', 'Scenario files: *.test.yaml')
  const cases: Planned[] = []
  for (const file of files) {
    const read = readScenarios(await contentOf(file), file)
    if (!read.ok) throw await unreadable(read.findings)
    const workflow = await workflowOf(file)
    for (const scenario of read.value.cases) {
      if (filter === undefined || scenario.name.includes(filter)) cases.push({ file, scenario, workflow })
    }
  }
  // A run without any case would look like success.
  if (cases.length === 0) throw usageError(`No case name contains "${filter}".`)
  return cases
}

/** Returns the workflow that belongs to a scenario file. */
async function workflowOf(scenarios: string): Promise<WorkflowFile> {
  const { readWorkflow } = await import('../../../../core/flows/files/index.js')
  const file = workflowFileOf(scenarios)
  if (file === undefined) throw usageError(noWorkflowText(scenarios))
  const read = readWorkflow(await contentOf(file), file)
  if (read.ok) return read.value
  throw await unreadable(read.findings)
}

async function contentOf(file: string): Promise<string> {
  const { MAX_FILE_BYTES, tooLarge } = await import('../../../../core/flows/files/index.js')
  const text = fileText(file, MAX_FILE_BYTES)
  if (text === undefined) throw new CliError(EXIT.usage, `${file}: ${tooLarge()}`)
  return text
}

/** Parses the option for recorded bars: `NSE:SBIN=bars.csv`. */
async function replayOf(given: string): Promise<Replayed> {
  const { parseBars, toRef } = await import('../../../../daemon/flows/rehearsal/index.js')
  const [, symbol, file] = REPLAY.exec(given) ?? []
  if (symbol === undefined || file === undefined) {
    throw usageError(`--replay ${given} is not EXCHANGE:SYMBOL=FILE.`, 'Example: --replay NSE:SBIN=bars.csv')
  }
  const text = fileText(file, MAX_BARS_BYTES)
  if (text === undefined) throw usageError(`${file} is larger than ${MAX_BARS_BYTES / 1024 / 1024} MB.`)
  try {
    const bars = parseBars(text)
    if (bars.length === 0) throw new RangeError('the file has no bars')
    return { spot: toRef(symbol), bars }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw usageError(`${file}: ${error.message}`)
  }
}

async function play({ file, scenario, workflow }: Planned, options: RehearsalOptions): Promise<Played> {
  const { compare, failureTexts } = await import('../../../../core/flows/files/index.js')
  const { rehearse } = await import('../../../../daemon/flows/rehearsal/index.js')
  const about = { file, line: scenario.place.line, name: scenario.name }
  try {
    const outcome = await rehearse(workflow, scenario, options)
    const differences = compare(scenario.expect, outcome)
    if (differences.length === 0) return { ...about, status: 'ok', differences, failures: [] }
    return { ...about, status: 'failed', differences, failures: failureTexts(outcome.failures) }
  } catch (error) {
    // A case that cannot run fails; the other cases still run.
    return {
      ...about,
      status: 'failed',
      differences: [error instanceof Error ? error.message : String(error)],
      failures: [],
    }
  }
}

function show(context: Context, { file, line, name, status, differences, failures }: Played): void {
  const text = status === 'ok' ? `ok    ${file}: ${name}` : `FAIL  ${file}:${line}: ${name}`
  const details = [...differences, ...failures].flatMap((one) => one.split('\n')).map((one) => `      ${one}`)
  context.out.write([text, ...details].map((row) => `${visible(row)}\n`).join(''))
}
