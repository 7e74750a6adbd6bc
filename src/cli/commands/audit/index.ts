import type { CommandSpec, Input } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import { saveTexts } from '../../io/save-texts.js'
import { parseInstant } from '../../output/text/instant.js'
import { ACT_OPTIONS, actFilter, list } from './list.js'
import { verify } from './verify.js'

const FORMATS = ['csv', 'jsonl'] as const

const exportTrail: CommandSpec = {
  name: 'export',
  summary: 'Writes the audit trail with its seals, oldest act first, as CSV or one JSON object per line.',
  details:
    'The rows are written as they arrive, so a file of any size takes little memory. A cell that a spreadsheet would run as a formula begins with an apostrophe.',
  examples: [
    'audit export > audit.csv',
    'audit export --format jsonl --since 2026-11-01 --file november.jsonl',
    'audit export --act kill_switch',
  ],
  options: [
    { flags: '--format <format>', summary: 'csv or jsonl (default: csv)', choices: FORMATS },
    { flags: '--since <time>', summary: 'from then on: 2h, 3d, today, 2026-11-20 or 2026-11-20T09:15' },
    { flags: '--until <time>', summary: 'up to then; a date includes its day' },
    { flags: '--search <text>', summary: 'only acts with this text, ignoring case' },
    ...ACT_OPTIONS,
    { flags: '--file <path>', summary: 'write to a new file (0600) instead of standard output' },
  ],
  async run(context, input) {
    const query = {
      ...actFilter(input),
      format: input.text('format'),
      since: instant(context, input, 'since'),
      until: instant(context, input, 'until'),
      search: input.text('search'),
      bom: context.settings.bom ? 'true' : undefined,
    }
    await saveTexts(context, input.text('file'), (write) =>
      context.texts('GET /audit/export', { query }, write),
    )
    return EXIT.done
  },
}

function instant(context: Context, input: Input, name: 'since' | 'until'): string | undefined {
  const text = input.text(name)
  if (text === undefined) return undefined
  return new Date(parseInstant(text, `--${name}`, context.io.now(), name === 'until')).toISOString()
}

export const audit: CommandSpec = {
  name: 'audit',
  summary: 'The audit trail: every act that changed state, each sealed to the one before.',
  examples: ['audit list --since today', 'audit verify', 'audit export --file audit.csv'],
  verbs: [list, exportTrail, verify],
}
