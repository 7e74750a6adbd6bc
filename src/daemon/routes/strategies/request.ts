import { ServiceError } from '../../../core/errors/index.js'

/** Returns the id in a path. @throws ServiceError `not_found` for a text that cannot be an id */
export function idIn(text: string, missing = 'Strategy not found'): number {
  const id = Number(text)
  if (/^[0-9]+$/.test(text) && Number.isSafeInteger(id) && id > 0) return id
  throw new ServiceError('not_found', missing)
}
