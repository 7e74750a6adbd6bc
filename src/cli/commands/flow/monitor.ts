import type { RouteAnswer } from '../../../client/endpoints.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { WATCH_OPTIONS, watchable } from '../../output/watch.js'

export const monitor: CommandSpec = {
  name: 'monitor',
  summary: 'Lists the active price alerts and order watches.',
  examples: ['flow monitor', 'flow monitor --watch', 'flow monitor --json'],
  options: WATCH_OPTIONS,
  async run(context, input) {
    if (context.settings.format === 'json' && !input.flag('watch')) {
      const { body } = await context.read('GET /flow/api/monitor/status')
      await context.out.record({ record: body, fields: [], id: 'alerts_count' })
      return EXIT.done
    }
    return watchable(context, input, async () => ({
      rows: watches((await context.read('GET /flow/api/monitor/status')).body),
      columns: [
        { key: 'workflow_id', title: 'WORKFLOW', kind: 'quantity' },
        { key: 'kind' },
        { key: 'symbol' },
        { key: 'exchange', title: 'EXCH', leaves: 4 },
        { key: 'order_id', title: 'ORDER', leaves: 2 },
        { key: 'condition' },
        { key: 'target_price', title: 'TARGET', kind: 'money', leaves: 1 },
        { key: 'last_price', title: 'LAST', kind: 'money', leaves: 3 },
        { key: 'triggered', leaves: 1 },
      ],
      id: 'workflow_id',
      empty: 'No price alert or order watch is active.',
    }))
  },
}

/** Returns alerts and watches as rows of one table. */
function watches({ alerts, order_updates: updates }: RouteAnswer<'GET /flow/api/monitor/status'>) {
  return [
    ...alerts.map((alert) => ({ kind: 'price', ...alert })),
    ...updates.watches.map((watch) => ({
      kind: 'order',
      condition: watch.status,
      ...watch,
    })),
  ]
}
