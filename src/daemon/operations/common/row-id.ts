import { ServiceError } from '../../../core/errors/index.js'

/**
 * Returns the id in a path. A text that is no id returns 0, which no row has: the answer is 404.
 * @param missing refuses such a text at once, with this message
 * @throws ServiceError `not_found`
 */
export function rowId(text: string, missing?: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  if (missing !== undefined) throw new ServiceError('not_found', missing)
  return 0
}
