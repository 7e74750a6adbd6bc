import { writeFileSync } from 'node:fs'
import type { CommandSpec } from '../../../framework/command/command.js'
import { CliError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'

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
      context.out.write(text)
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
