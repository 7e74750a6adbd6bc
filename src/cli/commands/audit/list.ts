import type { RouteAnswer } from '../../../client/endpoints.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import type { OptionSpec } from '../../framework/command/option.js'
import { openPages } from '../log/pages.js'
import { LOG_OPTIONS, type LogView, showLog } from '../log/show-log.js'

/** The options that choose acts, besides their time and text. */
export const ACT_OPTIONS: readonly OptionSpec[] = [
  { flags: '--actor <name>', summary: 'only acts of this user; svc is the service itself' },
  { flags: '--act <act>', summary: 'only this act, or a group: risk stands for risk.set, too' },
]

export function actFilter(input: Input) {
  return { actor: input.text('actor'), act: input.text('act') }
}

type AuditRow = RouteAnswer<'GET /audit/entries'>[number]

export const list: CommandSpec = {
  name: 'list',
  summary: 'Shows the acts that changed state: who did what, from where, and with which result.',
  details:
    'With --json each act has the values before and after it. Orders appear a few seconds after they were placed.',
  examples: [
    'audit list',
    'audit list --act risk --since 7d',
    'audit list --actor svc --json',
    'audit list --search 203.0.113.7 --follow',
  ],
  options: [...LOG_OPTIONS, ...ACT_OPTIONS],
  run: (context, input) => showLog(context, input, auditView(input)),
}

function auditView(input: Input): LogView<AuditRow> {
  const filter = actFilter(input)
  return {
    columns: [
      { key: 'at', title: 'TIME', kind: 'time' },
      { key: 'act' },
      { key: 'target' },
      { key: 'actor' },
      { key: 'credential', leaves: 2 },
      { key: 'address', leaves: 1 },
      { key: 'outcome' },
      { key: 'code', leaves: 3 },
      { key: 'request_id', wide: true },
      { key: 'credential_id', wide: true },
      { key: 'id', wide: true },
    ],
    id: 'id',
    empty: 'No acts.',
    line: ({ act, actor, address, at, outcome, target }) => ({
      time: at,
      topic: act,
      symbol: target ?? '',
      words: [actor, address ?? '', outcome].filter((word) => word !== '').join('  '),
      tone: outcome === 'done' ? undefined : outcome === 'unknown' ? 'red' : 'yellow',
    }),
    open: (context, logFilter) =>
      openPages(context, logFilter, async (query) => {
        const { body } = await context.read('GET /audit/entries', { query: { ...filter, ...query } })
        return body
      }),
  }
}
