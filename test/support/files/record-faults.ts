import { readFileSync } from 'node:fs'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'

/** Returns what the schema of a record refuses in the records that a command printed. */
export function recordFaults(name: string, records: readonly unknown[]): string[] {
  const { $schema: _, ...schema } = JSON.parse(readFileSync(`docs/schemas/${name}.v1.json`, 'utf8'))
  const validate = new AjvJsonSchemaValidator().getValidator(schema)
  return records.flatMap((record) => validate(record).errorMessage ?? [])
}
