import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readWorkflow, type WorkflowFile } from '../../src/core/flows/files/index.js'

export const FLOWS = fileURLToPath(new URL('../../flows/', import.meta.url))

export const textOf = (name: string): string => readFileSync(join(FLOWS, name), 'utf8')

/** Ids of the shipped workflows; each is the name of its file. */
export const EXAMPLES: readonly string[] = readdirSync(FLOWS)
  .filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length))

/** Reads an example. @throws Error if it is unreadable */
export function exampleOf(id: string): WorkflowFile {
  const read = readWorkflow(textOf(`${id}.yaml`), `${id}.yaml`)
  if (!read.ok) throw new Error(JSON.stringify(read.findings))
  return read.value
}
