import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import type { AppEnv } from '../../process/env.js'
import { readText } from './body.js'

/**
 * Returns a form with files (`multipart/form-data`), up to the size limit of a body. Its files must be text.
 * @throws ServiceError as {@link readText}; `validation` for a form that cannot be read
 */
export async function readForm(c: Context<AppEnv>): Promise<FormData> {
  const text = await readText(c)
  const headers = { 'content-type': c.req.header('content-type') ?? '' }
  try {
    return await new Response(text, { headers }).formData()
  } catch (error) {
    throw new ServiceError('validation', 'The body is not a valid form', { cause: error })
  }
}
