import { ServiceError } from '../errors/index.js'
import type { Finding } from './finding.js'
import { isKey, KEY_RULE } from './key.js'
import type { Source } from './source.js'

/** A file whose document had other ids before. */
export interface MovedFile {
  /** The id that the file has now. */
  key: string
  /** The ids that it had before. */
  moved: readonly string[]
  file?: string | undefined
}

/** What is wrong with an earlier id in a file. */
export interface MovedFault<File extends MovedFile> {
  file: File
  /** The place of the earlier id in `moved`. */
  index: number
  message: string
}

/** What is stored for a file, and the earlier id by which it was found. */
export interface Located<Stored> {
  before: Stored | undefined
  movedFrom: string | null
}

/** Returns the earlier ids as they stand in a file: one, a list, or none. */
export function movedOf(written: string | readonly string[] | undefined): readonly string[] {
  return typeof written === 'string' ? [written] : (written ?? [])
}

/** Returns a finding for each earlier id in a file that cannot be an id. */
export function movedFindings(source: Source, moved: readonly string[]): Finding[] {
  return moved
    .filter((old) => !isKey(old))
    .map((old) => source.finding(['moved'], 'invalid_id', `"${old}" cannot be an id: ${KEY_RULE}.`))
}

/**
 * Returns a fault for each earlier id that cannot be one: it is the id of a file, or two files claim it. So no two files
 * change places, and the order in which files are applied does not matter.
 */
export function movedFaults<File extends MovedFile>(files: readonly File[]): MovedFault<File>[] {
  const owners = new Map(files.map((file) => [file.key, file]))
  const claims = new Map<string, File>()
  return files.flatMap((file) =>
    file.moved.flatMap((old, index) => {
      const claimed = claims.get(old)
      claims.set(old, claimed ?? file)
      const message = faultText(file, old, owners.get(old), claimed)
      return message === undefined ? [] : [{ file, index, message }]
    }),
  )
}

function faultText(file: MovedFile, old: string, owner?: MovedFile, claimed?: MovedFile): string | undefined {
  if (owner === file) return `"${old}" is the id that the file has now`
  if (owner) return `"${old}" is still the id of ${nameOf(owner)}`
  if (claimed === file) return `"${old}" is named twice`
  return claimed && `"${old}" is also an earlier id of ${nameOf(claimed)}`
}

function nameOf({ file, key }: MovedFile): string {
  return file ?? `the file with the id "${key}"`
}

/** Returns the stored documents by the id of their files. One without an id has that of its export. */
export function byFileKey<Stored extends { fileKey: string | null }>(
  stored: readonly Stored[],
  exportKeyOf: (one: Stored) => string,
): ReadonlyMap<string, Stored> {
  const own = stored.flatMap((one) => (one.fileKey === null ? [] : [[one.fileKey, one] as const]))
  const byHand = stored.filter(({ fileKey }) => fileKey === null)
  return new Map([...byHand.map((one) => [exportKeyOf(one), one] as const), ...own])
}

/**
 * Returns what is stored for each file, by its id: under that id, or under an earlier one.
 * @throws ServiceError `conflict` if more than one of its ids is there, because one of them would be lost
 */
export function located<Stored>(
  files: readonly MovedFile[],
  stored: ReadonlyMap<string, Stored>,
): ReadonlyMap<string, Located<Stored>> {
  const clashes: string[] = []
  const found = files.map(({ key, moved }) => {
    const [first, ...others] = [key, ...moved].filter((one) => stored.has(one))
    if (first !== undefined && others.length > 0) clashes.push(`${key}: ${[first, ...others].join(' and ')}`)
    const before = first === undefined ? undefined : stored.get(first)
    return [key, { before, movedFrom: first === undefined || first === key ? null : first }] as const
  })
  if (clashes.length === 0) return new Map(found)
  throw new ServiceError(
    'conflict',
    `moved is not clear, because several of its ids are there: ${clashes.join(', ')}. Delete those that are not meant, or take moved out of the file`,
  )
}
