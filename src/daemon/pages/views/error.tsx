/** @jsxImportSource hono/jsx */
import { z } from 'zod'
import { NoticeBox } from '../components/notice.js'
import type { PageContent, PageRequest } from '../page.js'

/** The answer to a refused request. */
export const refusalSchema = z
  .looseObject({
    message: z.string().catch('The page cannot be shown.'),
    errors: z.record(z.string(), z.array(z.string())).optional().catch(undefined),
  })
  .catch({ message: 'The page cannot be shown.' })

/** The page for a refused request: the reasons, and the way back. */
export function errorView(answer: unknown, { path }: PageRequest): PageContent {
  const { message, errors = {} } = refusalSchema.parse(answer)
  const body = (
    <>
      <h1>This did not work</h1>
      <NoticeBox tone="bad">{message}</NoticeBox>
      {Object.keys(errors).length > 0 && (
        <ul>
          {Object.entries(errors).map(([field, texts]) => (
            <li>
              <b>{field}</b>: {texts.join(' ')}
            </li>
          ))}
        </ul>
      )}
      <p>
        <a class="button" href={path}>
          Back to the page
        </a>
      </p>
    </>
  )
  return { title: 'Refused', body }
}
