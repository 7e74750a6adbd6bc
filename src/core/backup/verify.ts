import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, ServiceError } from '../errors/index.js'
import { inspectDatabase } from '../storage/index.js'
import { digestOf } from './durable.js'
import { readManifest } from './folder.js'
import type { BackupSecrets } from './key-checks.js'
import { type BackedUpFile, differingSecrets, isSealed, type Manifest } from './manifest.js'

/** A sound backup, and what its seal says: `unchecked` without the secrets it was made with. */
export interface VerifiedBackup {
  manifest: Manifest
  seal: 'ok' | 'unchecked'
}

/**
 * Reads a backup completely: digests, structure, counts and schema of each file, and the seal if the secrets are
 * those of the backup.
 * @throws ServiceError `validation` that names each file that is missing, damaged or not of this backup
 */
export async function verifyBackup(
  path: string,
  secrets: BackupSecrets | undefined,
): Promise<VerifiedBackup> {
  const manifest = await readManifest(path)
  const isOwn = secrets !== undefined && differingSecrets(manifest, secrets).length === 0
  if (isOwn && !isSealed(manifest, secrets)) {
    throw new ServiceError(
      'validation',
      `${join(path, 'manifest.json')} was changed after the backup was made: its seal does not match.`,
    )
  }
  const problems: string[] = []
  for (const file of manifest.files) {
    const problem = await problemOf(path, file)
    if (problem !== undefined) problems.push(`${join(path, file.name)} ${problem}`)
  }
  if (problems.length > 0) throw new ServiceError('validation', `${problems.join('; ')}.`)
  return { manifest, seal: isOwn ? 'ok' : 'unchecked' }
}

/** Returns how a file differs from its description in the manifest; undefined if it does not. */
async function problemOf(folder: string, file: BackedUpFile): Promise<string | undefined> {
  const path = join(folder, file.name)
  if (!existsSync(path)) return 'is missing'
  const { size } = await stat(path)
  if (size !== file.bytes)
    return `has ${size} bytes, but the backup has ${file.bytes}: it is cut short or of another backup`
  if ((await digestOf(path)) !== file.sha256)
    return 'is damaged or of another backup: its digest does not match'
  try {
    const found = await inspectDatabase(path)
    if (found.damage !== undefined) return `is damaged: ${found.damage}`
    if (found.schema !== file.schema) return `has schema ${found.schema}, but the backup has ${file.schema}`
    const tables = new Set([...Object.keys(found.rows), ...Object.keys(file.rows)])
    const differs = [...tables].find((table) => found.rows[table] !== file.rows[table])
    if (differs !== undefined)
      return `has ${found.rows[differs] ?? 'no'} rows in ${differs}, but the backup has ${file.rows[differs] ?? 'none'}`
    return undefined
  } catch (error) {
    return `cannot be read: ${messageOf(error)}`
  }
}
