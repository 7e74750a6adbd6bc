import { closeSync, existsSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { withoutByteOrderMark } from '../../../../core/csv/index.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'

const DOCUMENT = /\.(ya?ml|json)$/i
const SKIPPED = /^\.|^node_modules$/
const BLOCK_BYTES = 65_536

/** Returns the files at the paths: for a directory, the files in it and its subdirectories, sorted by name. */
export function allFiles(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => (isFolder(path) ? filesIn(path) : [path])))]
}

/** Returns whether the paths name a folder: then its files are all there are, and not some of many. */
export function areComplete(paths: readonly string[]): boolean {
  return paths.some(isFolder)
}

/** @throws CliError if there is nothing at the path */
export function isFolder(path: string): boolean {
  return statOf(path).isDirectory()
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !SKIPPED.test(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(directory, entry.name)
      if (entry.isDirectory()) return filesIn(path)
      return DOCUMENT.test(entry.name) ? [path] : []
    })
}

const WORKFLOW_ENDINGS = ['.yaml', '.yml', '.json']

/** Returns the file of the workflow that a scenario file belongs to; undefined if there is none beside it. */
export function workflowFileOf(scenarios: string): string | undefined {
  const base = baseOf(scenarios)
  return WORKFLOW_ENDINGS.map((ending) => base + ending).find((path) => existsSync(path))
}

export function noWorkflowText(scenarios: string): string {
  return `There is no workflow for ${scenarios}: ${baseOf(scenarios)}.yaml is missing.`
}

const baseOf = (scenarios: string) => scenarios.replace(/[.-](flow-)?test\.(ya?ml|json)$/i, '')

/** Returns the text of a file; undefined when it has more than `maxBytes`. */
export function fileText(path: string, maxBytes: number): string | undefined {
  const stats = statOf(path)
  if (stats.isDirectory()) throw usageError(`${path} is a folder, not a file.`)
  if (stats.size > maxBytes) return undefined
  try {
    const bytes = firstBytes(path, maxBytes + 1)
    return bytes.length > maxBytes ? undefined : withoutByteOrderMark(bytes.toString('utf8'))
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

/**
 * Reads at most `count` bytes, block by block: `count` is the limit of a kind of file, and most files are far smaller. A
 * device has no size, and may have no end.
 */
function firstBytes(path: string, count: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const blocks: Buffer[] = []
    let length = 0
    while (length < count) {
      const block = Buffer.alloc(Math.min(BLOCK_BYTES, count - length))
      const read = readSync(file, block, 0, block.length, null)
      if (read === 0) break
      // A pipe gives few bytes at a time: a copy lets the block go.
      blocks.push(Buffer.from(block.subarray(0, read)))
      length += read
    }
    return Buffer.concat(blocks)
  } finally {
    closeSync(file)
  }
}

function statOf(path: string): Stats {
  try {
    return statSync(path)
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

function unreadable(path: string, cause: unknown): CliError {
  const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
  if (isMissing) return new CliError(EXIT.notFound, `There is no file ${path}.`, { cause })
  return new CliError(EXIT.failed, `${path} cannot be read.`, { cause })
}
