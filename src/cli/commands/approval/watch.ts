import { MIXED_COLUMNS, type ShownApproval } from '../../../views/approvals/approval.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { followEvents } from '../../http/events.js'
import { canShowScreen, showScreen } from '../../output/screen.js'
import { changedRows, repaint } from '../../output/watch.js'
import { queueView, readQueue } from './queue.js'

const TICK_MS = 1000
/** The number of rows that a pipe checks for changes. */
const RECENT = 200

export const watch: CommandSpec = {
  name: 'watch',
  summary: 'Shows the queue live, and approves or rejects its orders by keys.',
  details: [
    'On a terminal: arrows or j and k move, enter shows all fields, a approves, r rejects with a reason, space ' +
      'marks, A approves the marked orders or all, tab leads to the approved and the rejected orders, d deletes a ' +
      'decided one, q quits. Before an order is approved, the screen names mode, broker, count and value, and waits ' +
      'for y.',
    'In a pipe: one JSON line for each waiting order, then one when an order is queued, approved or rejected.',
  ].join('\n'),
  examples: ['approval watch', 'approval watch | jq .id'],
  columns: MIXED_COLUMNS,
  async run(context) {
    const { out, io } = context
    const human = out.isHuman
    const show = human
      ? repaint(context)
      : changedRows<ShownApproval>(context, {
          ended: ({ status }) => status !== 'pending',
          stateOf: ({ status }) => status,
        })
    const query = human ? { status: 'pending' } : { status: 'all', limit: RECENT }
    const load = () => readQueue(context, query)
    let rows = await load()
    const paint = async () => {
      await show(queueView(context, rows, query.status))
      if (human)
        out.note('\nApprove: svc approval approve <id>   Reject: svc approval reject <id>   Ctrl-C: end')
    }
    if (canShowScreen(context)) return showScreen(context, 'approvals')
    await paint()
    const ages = human ? repeat(paint, () => io.sleep(TICK_MS)) : new Promise<never>(() => undefined)
    const changes = (async () => {
      for await (const event of followEvents(context)) {
        if (event.event !== 'connected' && !event.event.startsWith('pending_order_')) continue
        rows = await load()
        await paint()
      }
    })()
    await Promise.race([ages, changes])
    return EXIT.done
  },
}

async function repeat(work: () => Promise<void>, pause: () => Promise<void>): Promise<never> {
  for (;;) {
    await pause()
    await work()
  }
}
