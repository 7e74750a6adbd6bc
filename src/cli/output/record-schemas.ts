import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../client/answers/json.js'
import { PACKAGE_ROOT } from '../package.js'

const FOLDER = join(PACKAGE_ROOT, 'docs', 'schemas')
const FILE = /^(.+)\.v(\d+)\.json$/

/** The JSON Schema of a record: its name, its version, what it is, and the text of the schema. */
export interface RecordSchema {
  name: string
  version: string
  about: string
  text: string
}

/** Returns the schemas of all records in the order of their names; an older version of a record comes first. */
export function recordSchemas(): RecordSchema[] {
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

/**
 * Returns the names of all fields that a record may have, by its newest schema; none for a record without one, and in an
 * installation that lacks its documentation.
 */
export function fieldsOfRecord(name: string): readonly string[] {
  const files = existsSync(FOLDER) ? readdirSync(FOLDER).sort() : []
  const newest = files.findLast((file) => FILE.exec(file)?.[1] === name)
  if (newest === undefined) return []
  return [...new Set(propertiesOf(JSON.parse(readFileSync(join(FOLDER, newest), 'utf8'))))]
}

/** Returns the properties of an object, or of each form that it may have. */
function propertiesOf(schema: unknown): readonly string[] {
  if (!isObject(schema)) return []
  const { anyOf, properties } = schema
  const forms = Array.isArray(anyOf) ? anyOf.flatMap(propertiesOf) : []
  return [...forms, ...(isObject(properties) ? Object.keys(properties) : [])]
}
