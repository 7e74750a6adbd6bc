import { countText } from '../../../../views/text/count.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { filesAt, loadFiles } from './load.js'
import { knownSymbolsIfAny } from './symbols.js'

export const validate: CommandSpec = {
  name: 'validate',
  summary: 'Checks workflow files without a daemon. Exit 2 when one has an error.',
  examples: [
    'flow validate flows',
    'flow validate flows/opening-range-breakout.yaml',
    'flow validate flows --strict-warnings --json',
  ],
  details:
    'Checks the form, the graph, cycles, unreachable nodes, fields and references. In directories: *.yaml, *.yml and\n' +
    '*.json; files named *.test.yaml are checked as scenarios. Each finding is a line file:line:column.\n' +
    'With a session at a running daemon, the check also looks up symbols.',
  arguments: [{ syntax: '<path...>', summary: 'files or directories' }],
  options: [{ flags: '--strict-warnings', summary: 'warnings count as errors' }],
  async run(context, input) {
    const files = filesAt(input.words(0))
    const { findings } = await loadFiles(files, (named) => knownSymbolsIfAny(context, named))
    if (context.settings.format === undefined) {
      const { findingText } = await import('../../../../core/flows/files/index.js')
      context.out.write(findings.map((finding) => `${findingText(finding)}\n`).join(''))
    } else {
      await context.out.list({
        rows: findings.map((finding) => ({ ...finding })),
        columns: [],
        id: 'file',
        empty: '',
      })
    }
    const errors = findings.filter((finding) => finding.severity === 'error').length
    const warnings = findings.length - errors
    context.out.note(
      `${countText(files.length, 'file')}, ${countText(errors, 'error')}, ${countText(warnings, 'warning')}.`,
    )
    const isRefused = errors > 0 || (warnings > 0 && input.flag('strictWarnings'))
    return isRefused ? EXIT.usage : EXIT.done
  },
}
