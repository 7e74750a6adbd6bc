import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { usageError } from '../framework/errors.js'

/** The certificates of the authorities that a context trusts, in its folder. */
export const CA_FILE = 'ca.pem'

/** Reads the authorities of a file. @throws a usage error that names the option or the variable, and the file */
export function readAuthorities(file: string, from: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw usageError(`${from} cannot be read: ${cause instanceof Error ? cause.message : file}`)
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw usageError(
      `${from} has no certificate in PEM: ${file}`,
      'It begins with -----BEGIN CERTIFICATE-----.',
    )
  }
  return text
}

/** Returns the authorities that a context was added with; undefined for those that Node knows. */
export function keptAuthorities(folder: string): string | undefined {
  const file = join(folder, CA_FILE)
  return existsSync(file) ? readAuthorities(file, 'The CA of the context') : undefined
}
