import type { Finding } from '../../../core/flows/files/index.js'
import type { CommandSpec } from '../../command.js'
import { usageError } from '../../errors.js'
import { EXIT } from '../../exit-codes.js'
import { textOf, workflowFiles } from './files.js'

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
    '*.json; those named *.test.yaml are checked as scenarios. Each finding is a line file:line:column.',
  arguments: [{ syntax: '<path...>', summary: 'files or directories' }],
  options: [{ flags: '--strict-warnings', summary: 'warnings count as errors' }],
  async run(context, input) {
    const files = workflowFiles(input.words(0))
    if (files.length === 0)
      throw usageError('There is no workflow file there.', 'Files: *.yaml, *.yml, *.json')
    const findings = await check(files)
    if (context.settings.format === undefined) {
      const { findingText } = await import('../../../core/flows/files/index.js')
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
      `${counted(files.length, 'file')}, ${counted(errors, 'error')}, ${counted(warnings, 'warning')}.`,
    )
    const isRefused = errors > 0 || (warnings > 0 && input.flag('strictWarnings'))
    return isRefused ? EXIT.usage : EXIT.done
  },
}

/** All findings of all files; two workflows of one identity are one too many. */
async function check(files: readonly string[]): Promise<Finding[]> {
  const { isScenarioName, lint, MAX_FILE_BYTES, readScenarios, readWorkflow, tooLarge } = await import(
    '../../../core/flows/files/index.js'
  )
  const keys = new Map<string, string>()
  return files.flatMap((file): Finding[] => {
    const start = { file, line: 1, column: 1, severity: 'error', path: '' } as const
    const text = textOf(file, MAX_FILE_BYTES)
    if (text === undefined) return [{ ...start, code: 'file_too_large', message: tooLarge() }]
    if (isScenarioName(file)) {
      const scenarios = readScenarios(text, file)
      return scenarios.ok ? [] : scenarios.findings
    }
    const workflow = readWorkflow(text, file)
    if (!workflow.ok) return workflow.findings
    const { key } = workflow.value
    const other = keys.get(key)
    keys.set(key, other ?? file)
    const message = `The id "${key}" is that of ${other} as well.`
    const place = { ...start, ...workflow.value.locate('/id') }
    const doubled: Finding[] = other === undefined ? [] : [{ ...place, code: 'duplicate_id', message }]
    return [...doubled, ...lint(workflow.value)]
  })
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
