import type { NounSpec } from '../../framework/command/command.js'
import { noSuch } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { recordSchemas } from '../../output/record-schemas.js'

export const schema: NounSpec = {
  summary: 'Prints the JSON Schema of a record, as -o json prints it; without a name, lists the records.',
  examples: ['schema', 'schema why', 'schema order > order.schema.json'],
  details:
    'Every record has a version; a change of its names or their meaning is a new version. New members may be added to a version. It needs no daemon.',
  arguments: [{ syntax: '[record]', summary: 'name of a record, as why or why/1' }],
  async run(context, input) {
    const word = input.argument(0)
    const known = recordSchemas()
    if (word === undefined) {
      await context.out.list({
        rows: known.map(({ name, version, about }) => ({ record: name, version, about })),
        columns: [{ key: 'record' }, { key: 'version', kind: 'quantity' }, { key: 'about' }],
        id: 'record',
        empty: 'This installation has no schemas.',
      })
      return EXIT.done
    }
    const [name = '', version] = word.split('/')
    const found = known.findLast((one) => one.name === name && (version ?? one.version) === one.version)
    if (found === undefined) throw noSuch('record', word, 'svc schema')
    await context.out.file(found.text)
    return EXIT.done
  },
}
