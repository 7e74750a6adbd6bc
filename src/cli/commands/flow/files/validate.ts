import { writeFileSync } from 'node:fs'
import { visible } from '../../../../views/table/cells.js'
import { countText } from '../../../../views/text/count.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import { CliError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { contractFindingsIfAny, noteUnchecked } from '../../strategy/files/contracts.js'
import { loadStrategies } from '../../strategy/files/load.js'
import { documentsAt } from '../plans/documents.js'
import { loadFiles, noFile } from './load.js'
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
    '*.json; files named *.test.yaml are checked as scenarios, files in a folder strategies as strategies. Each finding is a line file:line:column.\n' +
    'With a session at a running daemon, the check also looks up symbols.',
  arguments: [{ syntax: '<path...>', summary: 'files or directories' }],
  options: [{ flags: '--strict-warnings', summary: 'warnings count as errors' }],
  async run(context, input) {
    const documents = await documentsAt(input.words(0), 'workflow')
    const files = [...documents.workflow, ...documents.scenario, ...documents.strategy]
    if (files.length === 0) throw noFile()
    const flows = await loadFiles([...documents.workflow, ...documents.scenario], (named) =>
      knownSymbolsIfAny(context, named),
    )
    const strategies = await loadStrategies(documents.strategy)
    const looked = await contractFindingsIfAny(context, strategies.strategies)
    const findings = [...flows.findings, ...strategies.findings, ...looked.findings]
    if (context.settings.format === undefined) {
      const { findingText } = await import('../../../../core/flows/files/index.js')
      context.out.write(findings.map((finding) => `${visible(findingText(finding))}\n`).join(''))
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
    noteUnchecked(context, looked)
    const isRefused = errors > 0 || (warnings > 0 && input.flag('strictWarnings'))
    return isRefused ? EXIT.usage : EXIT.done
  },
}

export const schema: CommandSpec = {
  name: 'schema',
  summary: 'Prints the JSON Schema of workflow files, which editors use for completion.',
  examples: [
    'flow schema --out flows/flow.schema.json',
    'flow schema --scenarios --out flows/scenario.schema.json',
    'flow schema',
  ],
  details:
    'Editors with yaml-language-server read it from the first line of a file:\n# yaml-language-server: $schema=./flow.schema.json',
  options: [
    { flags: '--out <file>', summary: 'write to this file instead of stdout' },
    { flags: '--scenarios', summary: 'the schema of scenario files (*.test.yaml)' },
  ],
  async run(context, input) {
    const { scenarioSchema, workflowSchema } = await import('../../../../core/flows/files/index.js')
    const document = input.flag('scenarios') ? scenarioSchema() : workflowSchema()
    const text = `${JSON.stringify(document, undefined, 2)}\n`
    const out = input.text('out')
    if (out === undefined) {
      await context.out.file(text)
      return EXIT.done
    }
    try {
      writeFileSync(out, text)
    } catch (cause) {
      throw new CliError(EXIT.failed, `${out} cannot be written.`, { cause })
    }
    context.out.note(`Written: ${out}`)
    return EXIT.done
  },
}
