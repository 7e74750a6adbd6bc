import type { RouteAnswer, SvcClient } from '../../client/index.js'
import { drawingOf, workflowOf } from '../../views/flows/drawing.js'
import { type Account, modeAndBroker, modeName } from '../live/account.js'
import type { QuestionText } from '../question/Question.js'
import type { FlowRow } from './feed.js'
import type { Run } from './open-flow.js'

type Shown = RouteAnswer<'GET /flow/api/workflows/:id'>

/** Returns a workflow as it is now. */
export async function workflowNow(client: SvcClient, id: number): Promise<Shown> {
  return client.request('GET /flow/api/workflows/:id', { params: { id: String(id) } })
}

/** Asks for a run: mode, broker, and the steps that send orders. In Live mode it needs the typed word. */
export async function runQuestion(workflow: Shown, account: Account): Promise<QuestionText> {
  const orders = await orderSteps(workflow)
  return {
    title: `Run workflow ${flowName(workflow)} now, ${modeAndBroker(account)}?`,
    lines: [
      orders.length === 0 ? 'No step of it sends orders.' : `It may send orders (${account.order_mode}):`,
      ...orders,
    ],
    ...(modeName(account) === 'LIVE' && { word: 'live' }),
  }
}

/** Asks for an activation: from then on the trigger runs it. */
export function activateQuestion(row: FlowRow, account: Account): QuestionText {
  const trigger = row.trigger === null ? 'It has no trigger.' : `Its trigger is ${row.trigger}.`
  return {
    title: `Activate workflow ${flowName(row)}, ${modeAndBroker(account)}?`,
    lines: [trigger, 'Its runs use your API key, in the mode of the time.'],
  }
}

export function deactivateQuestion(row: FlowRow): QuestionText {
  const isRunning = row.last_execution_status === 'running'
  return {
    title: `Deactivate workflow ${flowName(row)}?`,
    lines: ['Its trigger starts it no more.', ...(isRunning ? ['Its current run goes on.'] : [])],
  }
}

export function cancelQuestion(row: FlowRow, run: Run): QuestionText {
  return {
    title: `Cancel run ${run.id} of workflow ${flowName(row)}?`,
    lines: ['It sends nothing more. The orders that it has sent stay.'],
  }
}

const flowName = ({ id, name }: Pick<FlowRow, 'id' | 'name'>) => `${id} "${name}"`

/** Returns the steps that send orders, in a line each; a workflow that cannot be drawn may have any. */
async function orderSteps(workflow: Shown): Promise<readonly string[]> {
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
