import { ERROR_COLUMNS } from '../../../views/logs/error.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import type { OptionSpec } from '../../framework/command/option.js'

const LEVELS = ['ERROR', 'CRITICAL', 'WARNING', 'INFO', 'DEBUG'] as const
const MOST = 200

const LIMIT: OptionSpec = { flags: '--limit <n>', summary: `rows, 1 to ${MOST}` }
const LIST_OPTIONS: readonly OptionSpec[] = [
  { flags: '--level <level>', summary: 'only entries of this level', choices: LEVELS },
  { flags: '--search <text>', field: 'q', summary: 'only entries with this text, ignoring case' },
  { ...LIMIT, summary: `the newest entries, 1 to ${MOST} (default: 100)` },
]

const list = declared({
  name: 'list',
  summary: 'Lists the newest errors, the oldest of them first.',
  details:
    'The daemon reads the last 10 MB of its error log. svc log app --errors reads the same log without the daemon.',
  examples: [
    'admin errors list',
    'admin errors list --search zerodha --limit 20',
    "admin errors list --jq '.[] | select(.request) | .request.path'",
  ],
  options: LIST_OPTIONS,
  calls: 'GET /admin/api/errors',
  request: (input) => ({
    query: {
      level: input.text('level'),
      q: input.text('search') || undefined,
      limit: input.whole('limit', MOST),
    },
  }),
  list: ({ data }) => ({ rows: data, id: 'logger', empty: 'No errors.', columns: ERROR_COLUMNS }),
})

const stats = declared({
  name: 'stats',
  summary: 'Counts the errors: all, of the last day, of the last hour, and by level.',
  examples: ['admin errors stats', 'admin errors stats --jq .last_1h'],
  calls: 'GET /admin/api/errors/stats',
  record: ({ by_level, last_1h, last_24h, total }) => ({
    record: { total, last_24h, last_1h, by_level },
    id: 'total',
    fields: [
      { key: 'total', kind: 'quantity' },
      { key: 'last_24h', title: 'LAST 24 HOURS', kind: 'quantity' },
      { key: 'last_1h', title: 'LAST HOUR', kind: 'quantity' },
      { key: 'by_level', title: 'BY LEVEL' },
    ],
  }),
})

const groups = declared({
  name: 'groups',
  summary: 'Groups the errors that differ only in numbers and times, the most frequent first.',
  examples: ['admin errors groups', 'admin errors groups --limit 5', 'admin errors groups --sort last_at'],
  options: [{ ...LIMIT, summary: `groups, 1 to ${MOST} (default: 50)` }],
  calls: 'GET /admin/api/errors/groups',
  request: (input) => ({ query: { limit: input.whole('limit', MOST) } }),
  list: ({ groups }) => ({
    rows: groups.map((group) => ({ ...group, message: group.sample.message })),
    id: 'fingerprint',
    empty: 'No errors.',
    columns: [
      { key: 'fingerprint', leaves: 1 },
      { key: 'count', kind: 'quantity' },
      { key: 'level', leaves: 3 },
      { key: 'logger', title: 'EVENT' },
      { key: 'first_at', title: 'FIRST', kind: 'time', leaves: 2 },
      { key: 'last_at', title: 'LAST', kind: 'time' },
      { key: 'message' },
    ],
  }),
})

export const errors: CommandSpec = {
  name: 'errors',
  summary: 'The errors that the daemon logged, and those that pages reported.',
  examples: [
    'admin errors',
    'admin errors list --search zerodha',
    'admin errors stats',
    'admin errors groups',
  ],
  details: 'Without a verb it lists the newest errors.',
  options: LIST_OPTIONS,
  verbs: [list, stats, groups],
  run: list.run,
}
