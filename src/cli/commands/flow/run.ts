import { isObject, type JsonObject, member, parseJson, textMember } from '../../../client/answers/json.js'
import type { RouteAnswer } from '../../../client/endpoints.js'
import { responseOf } from '../../../client/transport/exchange.js'
import { splitAssignment } from '../../framework/assignments.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { noteNothingSent } from '../../framework/live/dry-run.js'
import { destinationOf } from '../../framework/live/guard.js'
import { failureOf, type HttpResponse } from '../../http/client.js'
import { readInput } from '../order/request.js'
import { MODE_OPTION } from '../order/send.js'
import { workflowsToSend } from './files/load.js'
import { findId } from './find.js'
import { lineStream, shownLine } from './log.js'

const FILE = /\.(ya?ml|json)$/i
/** The daemon limits the duration of a run. */
const LONGEST_RUN_MS = 3_600_000

export const run: CommandSpec = {
  name: 'run',
  summary:
    'Runs a workflow file once, or a workflow of the daemon now, and shows its log. Exit 1 when the run fails.',
  examples: [
    'flow run flows/opening-range-breakout.yaml --dry-run',
    'flow run flows/webhook-order.yaml --dry-run --payload alert.json',
    'flow run flows/basket-rebalance.yaml --var budget=50000',
    'flow run 3',
  ],
  details:
    'A name ending in .yaml, .yml or .json is a file: the daemon checks it and runs it once, without storing it.\n' +
    'Orders are sent, unless --dry-run is given: then they are only checked and logged.',
  arguments: [
    {
      syntax: '<file|workflow>',
      summary: 'a file, or the id, key or name of a workflow',
      complete: 'workflows',
    },
  ],
  options: [
    { flags: '--dry-run', summary: 'send nothing; market data and account are real' },
    MODE_OPTION,
    {
      flags: '--var <name=value>',
      summary: 'a variable; the value is read as JSON, otherwise as text (may be repeated)',
      repeatable: true,
    },
    { flags: '--payload <file>', summary: 'the body of a webhook call, as JSON; - reads stdin' },
  ],
  async run(context, input) {
    const word = input.required(0)
    if (FILE.test(word)) return runOnce(context, input, await contentOfFile(context, word))
    const id = await findId(context, word)
    if (input.flag('dryRun')) return runOnce(context, input, await contentOfWorkflow(context, id))
    if (input.list('var').length > 0 || input.text('payload') !== undefined) {
      throw usageError(
        '--var and --payload work only with files.',
        'For a workflow of the daemon, use --dry-run.',
      )
    }
    return runStored(context, id)
  },
}

/** The workflow that the daemon runs once. */
interface Content {
  name: string
  nodes: readonly object[]
  edges: readonly object[]
}

async function contentOfFile(context: Context, file: string): Promise<Content> {
  const [workflow] = await workflowsToSend(context, [file])
  if (workflow === undefined) throw usageError(`${file} is not a workflow.`)
  const { name, graph } = workflow
  return { name, nodes: graph.nodes, edges: graph.edges }
}

async function contentOfWorkflow(context: Context, id: string): Promise<Content> {
  const { name, nodes, edges } = (
    await context.read('GET /flow/api/workflows/:id/export', { params: { id } })
  ).body
  return { name, nodes, edges }
}

/** Runs content that the daemon does not store; leaving the command ends the run. */
async function runOnce(context: Context, input: Input, content: Content): Promise<ExitStatus> {
  const payload = await payloadOf(context, input)
  const dryRun = input.flag('dryRun')
  const body = {
    ...content,
    dry_run: dryRun,
    variables: Object.fromEntries(input.list('var').map(variable)),
    ...(payload === undefined ? {} : { payload }),
  }
  const rest = { changes: !dryRun, followUp: 'See what it did: svc order list' }
  const show = await lineShow(context)
  const [logs, result] = await context.lines('POST /flow/api/run', { body }, rest, (lines) =>
    collected(show, lines),
  )
  if (result === undefined) {
    const exit = dryRun ? EXIT.failed : EXIT.unknown
    throw new CliError(exit, 'The connection ended before the result of the run.', { hint: rest.followUp })
  }
  const { type: _, ...facts } = result
  const failure = textMember(result, 'error') ?? failuresText(result.failures)
  const exit = await finished(context, { ...facts, logs }, failure)
  if (dryRun) await noteDryRun(context)
  return exit
}

async function noteDryRun(context: Context): Promise<void> {
  const { mode, order_mode } = destinationOf((await context.read('GET /auth/whoami')).body.data)
  noteNothingSent(context, order_mode === 'semi_auto' ? order_mode : mode)
}

/** Shows lines as they arrive, and collects them when one document was requested. */
async function collected(
  show: LineShow,
  lines: AsyncGenerator<JsonObject>,
): Promise<[logs: JsonObject[], result: JsonObject | undefined]> {
  const logs: JsonObject[] = []
  for await (const { type, ...line } of lines) {
    if (type === 'result') return [logs, { type, ...line }]
    logs.push(line)
    await show(line)
  }
  return [logs, undefined]
}

type LineShow = (line: object) => Promise<void>

/** Returns the function that shows a line at once, unless one document was requested. */
async function lineShow(context: Context): Promise<LineShow> {
  const { format } = context.settings
  if (format !== undefined && format !== 'jsonl') return async () => undefined
  const { write } = await lineStream(context)
  return (line) => write(shownLine(context, line))
}

/** The outcome of a run, from the answer or from the last line of its stream. */
interface RunEnd {
  readonly status?: unknown
  readonly logs?: readonly object[]
}

/** Reports the outcome of a run. @throws CliError when it failed */
async function finished(context: Context, record: RunEnd, failure: string): Promise<ExitStatus> {
  const { format } = context.settings
  const { logs: _, ...facts } = record
  if (format === 'jsonl') await context.out.line(facts)
  else if (format !== undefined) await context.out.record({ record, fields: [], id: 'status' })
  const isFine = record.status === 'completed' || record.status === 'success'
  if (!isFine) throw new CliError(EXIT.failed, failure, { code: 'run_failed' })
  context.out.note('Completed.')
  return EXIT.done
}

function failuresText(failures: unknown): string {
  const all = Array.isArray(failures) ? failures.filter(isObject) : []
  const texts = all.map((one) => `${textMember(one, 'node')}: ${textMember(one, 'message')}`)
  return texts.length === 0 ? 'The run failed.' : texts.join('; ')
}

/** Runs a stored workflow and shows its log live. */
async function runStored(context: Context, id: string): Promise<ExitStatus> {
  const request = { params: { id } }
  const call = context.changeCall('POST /flow/api/workflows/:id/execute', request, {
    timeoutMs: LONGEST_RUN_MS,
    followUp: `See the result: svc flow executions ${id}`,
  })
  const show = await lineShow(context)
  await context.live.before(call)
  const reading = { changes: false }
  return context.lines('GET /flow/api/workflows/:id/follow', request, reading, async (lines) => {
    const live = new LiveLog(show)
    // The answer decides; without its live log a run is shown at its end.
    const ended = live.read(lines).catch(() => undefined)
    const answer: HttpResponse<RunAnswer> = await context
      .client()
      .ask(call)
      .catch((thrown: unknown) => outcomeOf(ended, live, thrown))
    const { body } = answer
    const execution = textMember(body, 'execution_id')
    if (execution === undefined) throw failureOf(answer, call)
    await live.end(execution, member(body, 'logs') ?? [])
    const failure = textMember(body, 'message') ?? textMember(body, 'error')
    return finished(context, body, failure ?? 'The run failed.')
  })
}

type RunAnswer = RunEnd | RouteAnswer<'POST /flow/api/workflows/:id/execute'>

/**
 * Returns the outcome from the live log when the run outlasted the request that started it. @throws the error
 * of the request in every other case
 */
async function outcomeOf(
  ended: Promise<JsonObject | undefined>,
  live: LiveLog,
  thrown: unknown,
): Promise<HttpResponse<RunEnd>> {
  const isOpen = thrown instanceof CliError && thrown.exit === EXIT.unknown && live.hasBegun
  const event = isOpen ? await ended : undefined
  if (event === undefined) throw thrown
  return responseOf(200, JSON.stringify(event), () => undefined)
}

/** Shows the lines of the next run that begins, each once. */
class LiveLog {
  #run: string | undefined
  #shown = 0
  #ended = false

  constructor(private readonly show: LineShow) {}

  get hasBegun(): boolean {
    return this.#run !== undefined
  }

  /** The outcome of the run; undefined when the log did not report it. */
  async read(lines: AsyncGenerator<JsonObject>): Promise<JsonObject | undefined> {
    for await (const { type, ...line } of lines) {
      if (this.#ended) return undefined
      const run = String(line.execution_id)
      if (type === 'started') this.#run ??= run
      if (this.#run !== run) continue
      if (type === 'finished') return line
      if (type === 'log') await this.#show(line)
    }
    return undefined
  }

  /** Shows the lines of the run that have not been shown yet. */
  async end(run: string, logs: readonly object[]): Promise<void> {
    this.#ended = true
    for (const line of logs.slice(run === this.#run ? this.#shown : 0)) await this.show(line)
  }

  #show({ execution_id: _, ...line }: JsonObject): Promise<void> {
    this.#shown += 1
    return this.show(line)
  }
}

async function payloadOf(context: Context, input: Input): Promise<JsonObject | undefined> {
  const file = input.text('payload')
  if (file === undefined) return undefined
  const payload = parseJson(await readInput(file, context.io))
  if (isObject(payload)) return payload
  throw usageError(`${file === '-' ? 'stdin' : file} must contain one JSON object.`)
}

/** Parses `name=value`; the value is JSON if it parses as JSON. */
function variable(text: string): [string, unknown] {
  const [name, value] = splitAssignment(text, 'name=value')
  return [name, parseJson(value) ?? value]
}
