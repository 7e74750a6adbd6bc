import { declared } from '../../framework/command/declared.js'

export const stats = declared({
  name: 'stats',
  summary: 'Shows the number of freeze quantities and of holidays.',
  examples: ['admin stats', 'admin stats --json'],
  calls: 'GET /admin/api/stats',
  record: (record) => ({
    record,
    id: 'freeze_count',
    fields: [
      { key: 'freeze_count', title: 'FREEZE QUANTITIES', kind: 'quantity' },
      { key: 'holiday_count', title: 'HOLIDAYS', kind: 'quantity' },
    ],
  }),
})
