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

/** @throws CliError a usage error for a text that is no jq program, whatever the document is */
export async function requireProgram(program: string): Promise<void> {
  // What nothing reaches is compiled and does not run: a program may go on for ever on another document.
  const isFine = await queried(null, `empty | (\n${program}\n)`).then(
    () => true,
    () => false,
  )
  // The words of jq are then about the program as it was written.
  if (!isFine) await queried(null, program)
}

/** Loads jq, which is a promise itself: what wraps a module for `import` takes it for the promise of the module. */
function loadJq(): typeof jqWeb {
  return createRequire(import.meta.url)('jq-web')
}

/** The status with which jq refuses a program. */
const COMPILE_ERROR = ' 3'

const PLACE = /\{\{\s*([^{}\s]+)\s*\}\}/g

/** @throws CliError a usage error for a template with a place that has no end, or that is no name of a field */
export function requireTemplate(template: string): void {
  const [open] = /\{\{.{0,20}/.exec(template.replaceAll(PLACE, ' ')) ?? []
  if (open === undefined) return
  throw usageError(
    `--template: "${open.trim()}" is no place for a value.`,
    'Write the name of a column as {{symbol}}.',
  )
}

/** @throws CliError a usage error for a template with a name that is none of the known fields */
export function requireFields(template: string, known: ReadonlySet<string>): void {
  for (const [, name = ''] of template.matchAll(PLACE)) {
    if (known.has(name)) continue
    throw usageError(`--template: there is no field "${name}".`, `Fields: ${[...known].join(', ')}`)
  }
}

/** Fills `{{field}}` in a template with a row's values; `\n` and `\t` are a line break and a tab. */
export function templated(row: object, template: string): string {
  const text = template.replaceAll('\\n', '\n').replaceAll('\\t', '\t')
  return text.replace(PLACE, (_all, name: string) => valueText(cellOf(row, name)))
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return visible(typeof value === 'object' ? safeJson(value) : String(value))
}
