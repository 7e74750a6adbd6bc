import type { SecretBox } from '../secrets/index.js'
import { openCopy } from '../storage/index.js'
import { Chain } from './chain.js'
import type { Verification } from './schema.js'
import { type Readable, readPage, readSeal } from './store.js'
import { type TrailReader, VERIFY_PAGE, verifyTrail } from './verify.js'

/**
 * Checks the trail in a copy of the database, without a service.
 * @throws ServiceError `not_found` if the file does not exist, `refused` if it has no audit trail
 */
export async function verifyCopy(
  file: string,
  secretBox: Pick<SecretBox, 'mac'>,
  head?: string,
): Promise<Verification> {
  const copy = await openCopy(file, 'audit_entries')
  try {
    return await verifyTrail(readerOf(copy), new Chain(secretBox), head)
  } finally {
    await copy.close()
  }
}

/** Returns the rows and the seal of a database that no service has open. */
export function readerOf(db: Readable): TrailReader {
  return {
    seal: () => readSeal(db),
    rows: (after) => readPage(db, { after, limit: VERIFY_PAGE }),
  }
}
