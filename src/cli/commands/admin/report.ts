import type { CommandSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { saveTexts } from '../../io/save-texts.js'

export const report: CommandSpec = {
  name: 'report',
  summary: 'Writes a report for support: the state of the installation and its newest errors.',
  details:
    'It contains no secret, but names of this machine and texts of errors: read it before you publish it.',
  examples: ['admin report', 'admin report --file report.md', 'admin report --format txt > report.txt'],
  options: [
    { flags: '--format <format>', summary: 'md or txt (default: md)', choices: ['md', 'txt'] },
    { flags: '--file <path>', summary: 'write to a new file (0600) instead of standard output' },
  ],
  async run(context, input) {
    const query = { format: input.text('format') }
    await saveTexts(context, input.text('file'), (write) =>
      context.texts('GET /admin/api/system/report', { query }, write),
    )
    return EXIT.done
  },
}
