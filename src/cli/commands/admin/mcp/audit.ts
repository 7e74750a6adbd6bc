import type { Column } from '../../../../views/table/column.js'
import type { Input } from '../../../framework/command/command.js'
import { declared } from '../../../framework/command/declared.js'
import { usageError } from '../../../framework/errors.js'

const SCOPES = ['read:market', 'read:account', 'write:orders'] as const
const OUTCOMES = [
  'success',
  'error',
  'bad_arguments',
  'denied',
  'unknown_tool',
  'rate_limited',
  'unauthorized',
] as const

const MOST = 500

const COLUMNS = [
  { key: 'at', title: 'TIME', kind: 'time' },
  { key: 'tool' },
  { key: 'outcome' },
  { key: 'scope', leaves: 3 },
  { key: 'duration_ms', title: 'MS', kind: 'quantity', leaves: 4 },
  { key: 'client_id', title: 'CLIENT', leaves: 1 },
  { key: 'request_ip', title: 'FROM', leaves: 2 },
] as const satisfies readonly Column[]

/** @throws a usage error for a number out of range */
function limitOf(input: Input): number | undefined {
  const limit = input.number('limit')
  if (limit === undefined || (Number.isInteger(limit) && limit >= 1 && limit <= MOST)) return limit
  throw usageError(`--limit must be a whole number from 1 to ${MOST}, was "${limit}".`)
}

export const audit = declared({
  name: 'audit',
  summary: 'Lists what assistants called, also what was denied; the newest last.',
  examples: [
    'admin mcp audit',
    'admin mcp audit --outcome denied',
    'admin mcp audit --tool order --limit 20',
  ],
  options: [
    { flags: '--tool <text>', summary: 'a part of the name of the tool' },
    { flags: '--scope <scope>', summary: 'the scope that the tool needs', choices: SCOPES },
    { flags: '--outcome <outcome>', summary: 'how the call ended', choices: OUTCOMES },
    { flags: '--client <client-id>', summary: 'the calls of one assistant' },
    { flags: '--limit <n>', summary: 'how many of the newest (default: 100, at most 500)' },
  ],
  calls: 'GET /admin/api/mcp/audit',
  request: (input) => ({
    query: {
      tool: input.text('tool'),
      scope: SCOPES.find((one) => one === input.text('scope')),
      outcome: OUTCOMES.find((one) => one === input.text('outcome')),
      client_id: input.text('client'),
      limit: limitOf(input),
    },
  }),
  list: ({ data }) => ({ rows: data, columns: COLUMNS, id: 'at', empty: 'No calls.' }),
})
