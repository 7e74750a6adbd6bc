import { textMember } from '../../../client/answers/json.js'
import { allPages } from '../../../client/answers/pages.js'
import type { RouteAnswer } from '../../../client/endpoints.js'
import { RUN_COLUMNS } from '../../../views/flows/run.js'
import type { Column } from '../../../views/table/column.js'
import type { CommandSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import type { RowStream } from '../../output/output.js'
import { PERIOD_OPTIONS, rowFilterOf } from '../history.js'
import { findId, WORKFLOW } from './find.js'

/** A line of a log, as every command shows it. */
export const LINE = [
  { key: 'time', kind: 'time' },
  { key: 'level' },
  { key: 'node' },
  { key: 'message' },
] as const satisfies readonly Column[]

/** Returns a line as a terminal shows it: the label of a node follows its id. A document has both as they are. */
export function shownLine<Line extends { node?: unknown; label?: unknown }>(
  context: Context,
  line: Line,
): Line {
  const { node, label } = line
  if (context.settings.format !== undefined || label === undefined) return line
  return { ...line, node: `${String(node)} (${String(label)})` }
}

/** Every status of a run: the type refuses one that is missing or unknown. */
const RUN_STATUSES = Object.keys({
  pending: 0,
  running: 0,
  completed: 0,
  failed: 0,
} satisfies Record<Execution['status'], 0>)
const DEFAULT_RUNS = 20
/** The most runs of one page of the API. */
const PAGE = 200

export const executions: CommandSpec = {
  name: 'executions',
  aliases: ['runs'],
  summary: 'Lists the runs of a workflow, newest first.',
  examples: [
    'flow executions 3',
    'flow executions opening-range-breakout --since 3d --status failed',
    'flow executions 3 --limit 500',
  ],
  arguments: [WORKFLOW],
  options: [
    { flags: '--status <status>', summary: 'only this status', choices: RUN_STATUSES },
    ...PERIOD_OPTIONS,
  ],
  columns: RUN_COLUMNS,
  async run(context, input) {
    const { limit, since, until } = rowFilterOf(context, input)
    const id = await findId(context, input.required(0))
    const status = input.text('status')
    await context.out.list({
      rows: await runsOf(context, id, limit ?? DEFAULT_RUNS, { since, until, status }),
      columns: RUN_COLUMNS,
      id: 'id',
      empty:
        (since ?? until ?? status)
          ? 'No such runs.'
          : `The workflow has never run. Run it: svc flow run ${id}`,
    })
    return EXIT.done
  },
}

type Execution = RouteAnswer<'GET /flow/api/executions/:id'>

function runsOf(
  context: Context,
  id: string,
  limit: number,
  filter: { since?: string | undefined; until?: string | undefined; status?: string | undefined } = {},
): Promise<readonly Execution[]> {
  return allPages(limit, async (size, before) => {
    const query = { ...filter, limit: String(Math.min(size, PAGE)), before }
    const { body } = await context.read('GET /flow/api/workflows/:id/executions', { params: { id }, query })
    return { rows: body, next: body.length < Math.min(size, PAGE) ? undefined : String(body.at(-1)?.id) }
  })
}

export const logs: CommandSpec = {
  name: 'logs',
  summary: 'Shows the log of the last run of a workflow, of a given run, or of all runs from now on.',
  examples: ['flow logs 3', 'flow logs 3 --execution 42', 'flow logs 3 --follow'],
  details: 'With --follow: shows the current run from its first line, then all later runs, until Ctrl-C.',
  arguments: [WORKFLOW],
  options: [
    { flags: '--execution <id>', summary: 'the run, from svc flow executions', complete: 'runs' },
    { flags: '--follow', summary: 'show new lines as they are written' },
  ],
  columns: LINE,
  async run(context, input) {
    const execution = input.text('execution')
    if (input.flag('follow')) {
      if (execution !== undefined) throw usageError('--follow and --execution cannot be combined.')
      return follow(context, await findId(context, input.required(0)))
    }
    const id = await findId(context, input.required(0))
    const run = execution === undefined ? await lastRun(context, id) : await runOf(context, id, execution)
    await context.out.list({
      rows: run.logs.map((line) => shownLine(context, line)),
      columns: LINE,
      id: 'message',
      empty: 'The log is empty.',
    })
    context.out.note(`Run ${run.id}: ${runText(run.status, run.error)}`)
    return EXIT.done
  },
}

function runText(status: string, error: string | null | undefined): string {
  return `${status}${error ? `: ${error}` : '.'}`
}

async function lastRun(context: Context, id: string): Promise<Execution> {
  const [run] = await runsOf(context, id, 1)
  if (run) return run
  throw new CliError(EXIT.notFound, `Workflow ${id} has never run.`, { hint: `Run it: svc flow run ${id}` })
}

async function runOf(context: Context, id: string, execution: string): Promise<Execution> {
  const { body } = await context.read('GET /flow/api/executions/:id', { params: { id: execution } })
  if (String(body.workflow_id) === id) return body
  const hint = `See: svc flow executions ${id}`
  throw new CliError(EXIT.notFound, `Workflow ${id} has no run ${execution}.`, { code: 'not_found', hint })
}

/** The fields of an event of a run that is no line of its log. */
const EVENT = { type: '', execution_id: 0, trigger: '', status: '', error: '' }

/** Begins the lines of runs: cells for a person and in a pipe, documents in a chosen format. */
export function lineStream(context: Context): Promise<RowStream> {
  const view = { columns: LINE, id: 'message', record: 'execution-line', rows: [EVENT] }
  return context.out.begin({ ...view, inCells: true })
}

async function follow(context: Context, id: string): Promise<ExitStatus> {
  const route = 'GET /flow/api/workflows/:id/follow'
  const { write } = await lineStream(context)
  return context.lines(route, { params: { id } }, { changes: false }, async (lines) => {
    if (context.out.isHuman) context.out.note('Waiting for runs. Ctrl-C ends.')
    for await (const event of lines) {
      if (event.type === 'log' || context.settings.format !== undefined)
        await write(shownLine(context, event))
      else if (event.type === 'started')
        context.out.note(
          `Run ${textMember(event, 'execution_id')}: started by ${textMember(event, 'trigger')}.`,
        )
      else
        context.out.note(
          `Run ${textMember(event, 'execution_id')}: ${runText(textMember(event, 'status') ?? '', textMember(event, 'error'))}`,
        )
    }
    throw new CliError(EXIT.failed, 'The daemon ended the stream.', { hint: 'See: svc status' })
  })
}
