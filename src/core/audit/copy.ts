import type { SecretBox } from '../secrets/index.js'
import { openCopy } from '../storage/index.js'
import { Chain } from './chain.js'
import type { Verification } from './schema.js'
import { readPage, readSeal } from './store.js'
import { VERIFY_PAGE, verifyTrail } from './verify.js'

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
    const reader = {
      seal: () => readSeal(copy),
      rows: (after: number) => readPage(copy, { after, limit: VERIFY_PAGE }),
    }
    return await verifyTrail(reader, new Chain(secretBox), head)
  } finally {
    await copy.close()
  }
}
