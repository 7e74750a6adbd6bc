import type { RouteAnswer, SvcClient } from '../../client/index.js'
import { drawingOf, workflowOf } from '../../views/flows/drawing.js'
import { type Account, modeAndBroker, modeName } from '../live/account.js'
import type { Change } from '../live/changes/changes.js'
import type { LiveDaemon } from '../live/daemon.js'
import type { QuestionText } from '../question/Question.js'
import type { ReadOrderQuestion } from '../question/use-question.js'
import { LIVE_WORD } from '../question/weight.js'
import type { Shown } from '../screen/record.js'
import { activateChange, cancelChange, deactivateChange, runChange } from './changes.js'
import { FlowFeed, type FlowRow } from './feed.js'
import { OpenFlowFeed, type Run } from './open-flow.js'

type Asking = Pick<Shown, 'daemon' | 'dialogs'>

/** Asks whether to run a workflow now. */
export async function askToRun({ daemon, dialogs }: Asking, row: FlowRow | undefined): Promise<void> {
  if (row === undefined) return
  if (row.last_execution_status === 'running') daemon.changes.say(`Workflow ${row.id} runs already.`)
  else await dialogs.askForOrders(runReview(daemon, row))
}

/** Asks whether to activate a workflow, or to deactivate an active one. */
export async function askToToggle({ dialogs }: Asking, row: FlowRow | undefined): Promise<void> {
  if (row === undefined) return
  if (row.is_active) dialogs.ask({ ...deactivateQuestion(row), change: deactivateChange(row) })
  else await dialogs.askForOrders(activateReview(row))
}

/** Asks whether to cancel a run. */
export function askToCancelRun(
  { daemon, dialogs }: Asking,
  row: FlowRow | undefined,
  run: Run | undefined,
): void {
  if (row === undefined || run === undefined) return
  if (run.status !== 'running') daemon.changes.say(`Run ${run.id} has ended.`)
  else dialogs.ask({ ...cancelQuestion(row, run), change: cancelChange(run) })
}

/** Returns a change after whose answer the workflows are read again. */
export function readAfter(change: Change, daemon: LiveDaemon): Change {
  return { ...change, onAnswer: () => refresh(daemon) }
}

/** Reads the question before a run. The run is that of the workflow that the user has seen. */
function runReview(daemon: LiveDaemon, { id }: FlowRow): ReadOrderQuestion {
  return async (client, account) => {
    const workflow = await workflowNow(client, id)
    return {
      ...(await runQuestion(workflow, account)),
      change: runChange(daemon, workflow),
      async recheck() {
        const { version } = await workflowNow(daemon.reader(), id)
        if (version !== workflow.version)
          throw new Error('the workflow has changed. Look at it, then try again.')
      },
    }
  }
}

/** Reads the question before an activation. It activates the version that the user has seen, and no other. */
function activateReview({ id }: FlowRow): ReadOrderQuestion {
  return async (client, account) => {
    const workflow = await workflowNow(client, id)
    if (workflow.is_active) return { refusal: `workflow ${id} is active already.` }
    return { ...(await activateQuestion(workflow, account)), change: activateChange(workflow) }
  }
}

function refresh(daemon: LiveDaemon): void {
  void daemon.part(FlowFeed).refresh()
  void daemon.part(OpenFlowFeed).refresh()
}

type Workflow = RouteAnswer<'GET /flow/api/workflows/:id'>

/** Returns a workflow as it is now. */
async function workflowNow(client: SvcClient, id: number): Promise<Workflow> {
  return client.request('GET /flow/api/workflows/:id', { params: { id: String(id) } })
}

/** Asks for a run: mode, broker, and the steps that send orders. In Live mode it needs the typed word. */
async function runQuestion(workflow: Workflow, account: Account): Promise<QuestionText> {
  return {
    title: `Run workflow ${flowName(workflow)} now, ${modeAndBroker(account)}?`,
    lines: await orderLines(workflow, account),
    ...liveWord(account),
  }
}

/** Asks for an activation, as for a run: from then on the trigger runs it. */
async function activateQuestion(workflow: Workflow, account: Account): Promise<QuestionText> {
  const { trigger } = workflow
  return {
    title: `Activate workflow ${flowName(workflow)}, ${modeAndBroker(account)}?`,
    lines: [
      trigger === null ? 'It has no trigger.' : `Its trigger is ${trigger}.`,
      'Its runs use your API key, in the mode of the time.',
      ...(await orderLines(workflow, account)),
    ],
    ...liveWord(account),
  }
}

const liveWord = (account: Account) => (modeName(account) === 'LIVE' ? { word: LIVE_WORD } : {})

/** Says whether a workflow may send orders, and names the steps that do. */
async function orderLines(workflow: Workflow, { order_mode }: Account): Promise<readonly string[]> {
  const orders = await orderSteps(workflow)
  if (orders.length === 0) return ['No step of it sends orders.']
  return [`It may send orders (${order_mode}):`, ...orders]
}

function deactivateQuestion(row: FlowRow): QuestionText {
  const isRunning = row.last_execution_status === 'running'
  return {
    title: `Deactivate workflow ${flowName(row)}?`,
    lines: ['Its trigger starts it no more.', ...(isRunning ? ['Its current run goes on.'] : [])],
  }
}

function cancelQuestion(row: FlowRow, run: Run): QuestionText {
  return {
    title: `Cancel run ${run.id} of workflow ${flowName(row)}?`,
    lines: ['It sends nothing more. The orders that it has sent stay.'],
  }
}

const flowName = ({ id, name }: Pick<FlowRow, 'id' | 'name'>) => `${id} "${name}"`

/** Returns the steps that send orders, in a line each; a workflow that cannot be drawn may have any. */
async function orderSteps(workflow: Workflow): Promise<readonly string[]> {
  const unknown = ['unknown, because its graph cannot be drawn']
  try {
    const read = await workflowOf(workflow)
    if (!read.ok) return unknown
    const { steps } = await drawingOf(read.value)
    return steps
      .filter(({ shape }) => shape === 'order')
      .map(({ id, type, summary }) => `${id}: ${type} ${summary}`)
  } catch {
    return unknown
  }
}
