import { ServiceError } from '../../errors/index.js'

/**
 * Stores the end of a credential that is already invalid. When the store refuses, the error tells the caller
 * that a restart would restore the credential.
 * @param done what has happened, as the beginning of a sentence
 */
export async function storeCredentialEnd(done: string, store: () => Promise<void>): Promise<void> {
  try {
    await store()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const message = `${done}, but this could not be stored, so a restart would undo it. Repeat the request.`
    throw new ServiceError(error.code, message, { cause: error })
  }
}
