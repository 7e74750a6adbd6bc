import type { CommandSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'

export const stats: CommandSpec = {
  name: 'stats',
  summary: 'Shows the number of freeze quantities and of holidays.',
  examples: ['admin stats', 'admin stats --json'],
  async run(context) {
    const { body } = await context.read('GET /admin/api/stats')
    await context.out.record({
      record: body,
      id: 'freeze_count',
      fields: [
        { key: 'freeze_count', title: 'FREEZE QUANTITIES', kind: 'quantity' },
        { key: 'holiday_count', title: 'HOLIDAYS', kind: 'quantity' },
      ],
    })
    return EXIT.done
  },
}
