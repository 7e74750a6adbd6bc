import { ServiceError } from '../../errors/index.js'

/**
 * Stores that a credential has ended. It is dead already; when the store refuses, whoever asked must know that a
 * restart would bring it back.
 * @param done what has happened, as the beginning of a sentence
 */
export async function storingEnd(done: string, store: () => Promise<void>): Promise<void> {
  try {
    await store()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const message = `${done}, but that could not be stored and would not outlive a restart. Ask again.`
    throw new ServiceError(error.code, message, { cause: error })
  }
}
