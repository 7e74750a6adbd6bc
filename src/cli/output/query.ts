import { createRequire } from 'node:module'
import type jqWeb from 'jq-web'
import { visible } from '../../views/table/cells.js'
import { cellOf } from '../../views/table/column.js'
import { CliError, usageError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'
import { safeJson } from './documents.js'

/**
 * Runs a jq program over a document. Texts are printed without quotes, other results as one line of JSON, as
 * `jq -r -c` does.
 * @throws CliError a usage error for an invalid program, a failure when the program fails on a value
 */
export async function queried(document: unknown, program: string): Promise<string> {
  const jq = await loadJq()
  try {
    const result = jq.raw(JSON.stringify(document), program, ['-r', '-c']) ?? ''
    return result === '' ? '' : `${result.replace(/\n$/, '')}\n`
  } catch (thrown) {
    const [status = '', ...lines] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')
    const message = `--jq: ${(lines[0] ?? status).replace(/^jq: error[^:]*: /, '').trim()}`
    throw status.endsWith(COMPILE_ERROR) ? usageError(message) : new CliError(EXIT.failed, message)
  }
}

/** Loads jq, which is a promise itself: what wraps a module for `import` takes it for the promise of the module. */
function loadJq(): typeof jqWeb {
  return createRequire(import.meta.url)('jq-web')
}

/** The status with which jq refuses a program. */
const COMPILE_ERROR = ' 3'

/** Fills `{{field}}` in a template with a row's values; `\n` and `\t` are a line break and a tab. */
export function templated(row: object, template: string, known: ReadonlySet<string>): string {
  const text = template.replaceAll('\\n', '\n').replaceAll('\\t', '\t')
  return text.replace(/\{\{\s*([^{}\s]+)\s*\}\}/g, (_all, name: string) => {
    if (!known.has(name)) {
      throw usageError(`--template: there is no field "${name}".`, `Fields: ${[...known].join(', ')}`)
    }
    return valueText(cellOf(row, name))
  })
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return visible(typeof value === 'object' ? safeJson(value) : String(value))
}
