import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NounSpec } from '../../framework/command/command.js'
import { noSuch } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { PACKAGE_ROOT } from '../../package.js'

const FOLDER = join(PACKAGE_ROOT, 'docs', 'schemas')
const FILE = /^(.+)\.v(\d+)\.json$/

export const schema: NounSpec = {
  summary: 'Prints the JSON Schema of a record, as -o json prints it; without a name, lists the records.',
  examples: ['schema', 'schema why', 'schema order > order.schema.json'],
  details:
    'Every record has a version; a change of its names or their meaning is a new version. New members may be added to a version. It needs no daemon.',
  arguments: [{ syntax: '[record]', summary: 'name of a record, as why or why/1' }],
  async run(context, input) {
    const word = input.argument(0)
    const known = records()
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
    context.out.write(found.text)
    return EXIT.done
  },
}

function records() {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((file) => {
      const [, name, version] = FILE.exec(file) ?? []
      if (name === undefined || version === undefined) return []
      const text = readFileSync(join(FOLDER, file), 'utf8')
      const { description: about }: { description: string } = JSON.parse(text)
      return [{ name, version, about, text }]
    })
}
