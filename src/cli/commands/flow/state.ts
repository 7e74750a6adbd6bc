import { member } from '../../../client/answers/json.js'
import { allPages } from '../../../client/answers/pages.js'
import { positionRecords } from '../../../client/answers/records.js'
import { type ListedWorkflow, WORKFLOW_COLUMNS } from '../../../views/flows/workflow.js'
import { countText } from '../../../views/text/count.js'
import type { CommandSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { each } from '../../framework/each.js'
import { confirmAct, type Look, sessionDestination } from '../../io/confirm.js'
import type { Output } from '../../output/output.js'
import { EXPECT_VERSION, expectedVersion, findId, WORKFLOWS } from './find.js'

type Switch = 'POST /flow/api/workflows/:id/activate' | 'POST /flow/api/workflows/:id/deactivate'

async function switched(
  context: Context,
  out: Output,
  word: string,
  verb: 'activate' | 'deactivate',
  query: { expect?: number } = {},
): Promise<void> {
  const id = await findId(context, word)
  const route: Switch = `POST /flow/api/workflows/:id/${verb}`
  const followUp = `See its state: svc flow show ${id}`
  const request = verb === 'activate' ? { params: { id }, query } : { params: { id } }
  const { body } = await context.change<Switch>(route, request, { followUp })
  await out.record({
    record: { id: Number(id), ...body },
    fields: [{ key: 'id' }, { key: 'message' }],
    id: 'id',
  })
  for (const { message } of 'warnings' in body ? (body.warnings ?? []) : []) await context.out.warn(message)
  if (verb === 'activate') await tellWebhookOff(context, id)
  const running = member(body, 'running_execution_id')
  if (running !== undefined) {
    context.out.note(`Run ${running} continues to its end. To cancel it now: svc flow cancel ${running}`)
  }
  if (verb === 'deactivate') await tellHeld(context, id)
}

/** Names the positions that no run of the workflow closes any more, to a person. */
async function tellHeld(context: Context, id: string): Promise<void> {
  if (!context.settings.interactive) return
  const held = await heldBy(context, [id]).catch(() => [])
  if (held.length > 0) context.out.note(`Positions of its orders stay open: ${heldText(held)}`)
}

/** Prints how to enable the webhook of a workflow that has no other trigger. */
async function tellWebhookOff(context: Context, id: string): Promise<void> {
  // The workflow is active even if this read fails.
  const answer = await context.read('GET /flow/api/workflows/:id', { params: { id } }).catch(() => undefined)
  if (answer === undefined) return
  const { body } = answer
  const isWebhook = body.nodes.some((node) => member(node, 'type') === 'webhookTrigger')
  if (isWebhook && !body.webhook_enabled) {
    context.out.note(`Its webhook is off, so nothing starts it yet. Next: svc flow webhook enable ${id}`)
  }
}

export const activate: CommandSpec = {
  name: 'activate',
  summary:
    'Activates workflows: their triggers start them from now on. Refuses workflows that could not run.',
  examples: [
    'flow activate 3',
    'flow activate opening-range-breakout end-of-day-report',
    'flow activate opening-range-breakout --expect 4',
  ],
  arguments: [WORKFLOWS],
  options: [EXPECT_VERSION],
  run(context, input) {
    const words = input.words(0)
    const expected = expectedVersion(input, words.length)
    return each(context, 'workflow', words, (word, out) => switched(context, out, word, 'activate', expected))
  },
}

export const deactivate: CommandSpec = {
  name: 'deactivate',
  summary: 'Deactivates workflows: their triggers no longer start them.',
  examples: ['flow deactivate 3', 'flow deactivate opening-range-breakout'],
  arguments: [WORKFLOWS],
  run: (context, input) =>
    each(context, 'workflow', input.words(0), (word, out) => switched(context, out, word, 'deactivate')),
}

export const remove: CommandSpec = {
  name: 'delete',
  summary: 'Deletes workflows with their runs and versions.',
  examples: ['flow delete 3', 'flow delete old-breakout --yes', 'flow delete old-breakout --expect 4 --yes'],
  arguments: [WORKFLOWS],
  options: [EXPECT_VERSION],
  async run(context, input) {
    const words = input.words(0)
    const query = expectedVersion(input, words.length)
    const question = `Delete workflow ${words.join(', ')} with its runs and versions`
    await confirmAct(context, question, () => namedWorkflows(context, words))
    return each(context, 'workflow', words, async (word, out) => {
      const id = await findId(context, word)
      const { body } = await context.change('DELETE /flow/api/workflows/:id', { params: { id }, query })
      await out.acted({ id: Number(id), ...body }, `Workflow ${word} is deleted.`)
    })
  },
}

async function namedWorkflows(context: Context, words: readonly string[]): Promise<Look<ListedWorkflow>> {
  const destination = await sessionDestination(context)
  const ids = new Set(await Promise.all(words.map((word) => findId(context, word))))
  const rows = (await context.read('GET /flow/api/workflows')).body.filter(({ id }) => ids.has(String(id)))
  const active = rows.filter((row) => row.is_active).length
  const running = rows.filter((row) => row.last_execution_status === 'running').length
  const held = await heldBy(context, [...ids])
  return {
    destination,
    facts: [
      countText(rows.length, 'workflow'),
      `${active} active`,
      ...(running === 0 ? [] : [`${running} running: it is cancelled`]),
      ...(held.length === 0 ? [] : [`positions of its orders stay open: ${heldText(held)}`]),
    ],
    list: { rows, columns: WORKFLOW_COLUMNS },
  }
}

/** A position that the orders of workflows have built and not closed. */
interface Held {
  symbol: string
  exchange: string
  product: string
  quantity: number
}

/** Returns the open positions that the orders of workflows hold, by the strategy tags of the orders. */
async function heldBy(context: Context, ids: readonly string[]): Promise<Held[]> {
  const tags = new Set((await Promise.all(ids.map((id) => tagsOf(context, id)))).flat())
  const nets = new Map<string, Held>()
  for (const tag of tags) {
    for (const { action, exchange, product, quantity, symbol } of await tradesOf(context, tag)) {
      const name = [exchange, symbol, product].join(':')
      const before = nets.get(name)?.quantity ?? 0
      const net = before + (action === 'BUY' ? quantity : -quantity)
      nets.set(name, { symbol, exchange, product, quantity: net })
    }
  }
  const open = await openPositions(context)
  return [...nets.values()].filter(
    (net) =>
      net.quantity !== 0 && (open === undefined || net.product === 'CNC' || open.has(positionName(net))),
  )
}

/** Returns `NSE:SBIN 10 (MIS), NSE:INFY -4 (MIS)`. */
function heldText(held: readonly Held[]): string {
  return held
    .map(({ exchange, product, quantity, symbol }) => `${exchange}:${symbol} ${quantity} (${product})`)
    .join(', ')
}

const positionName = ({ exchange, product, symbol }: Held) => [exchange, symbol, product].join(':')

/** An order has the tag of its node, otherwise the name of its workflow. */
async function tagsOf(context: Context, id: string): Promise<string[]> {
  const { body } = await context.read('GET /flow/api/workflows/:id', { params: { id } })
  const own = body.nodes.flatMap((node) => {
    const data: unknown = member(node, 'data')
    if (typeof data !== 'object' || data === null) return []
    return [Reflect.get(data, 'strategyTag'), Reflect.get(data, 'basketName')]
  })
  return [body.name, ...own.filter((tag) => typeof tag === 'string' && tag !== '' && !tag.includes('{{'))]
}

function tradesOf(context: Context, strategy: string) {
  return allPages(undefined, async (limit, before) => {
    const { body } = await context.read('GET /trades/history', { query: { strategy, limit, before } })
    return { rows: body.data, next: body.next_before }
  })
}

/** Returns the names of the open positions, which the broker may have squared off; undefined without an API key. */
async function openPositions(context: Context): Promise<Set<string> | undefined> {
  if (!context.hasApiKey) return undefined
  const rows = positionRecords((await context.apiRead('positionbook')).body)
  return new Set(rows.filter(({ quantity }) => quantity !== 0).map(positionName))
}
