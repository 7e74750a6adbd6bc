/** @jsxImportSource hono/jsx */
import { HOME, SIGN_IN } from '../addresses.js'
import { cell } from '../components/format.js'
import type { PageContent, PageRequest } from '../page.js'
import { refusalSchema } from './error.js'

/** The page for an address that has none: why, and the ways on. */
export function missingView(answer: unknown, { around, path }: PageRequest): PageContent {
  const { message } = refusalSchema.parse(answer)
  const body = (
    <section class="narrow">
      <h1>There is no page here</h1>
      <p>
        Nothing is at <code>{cell(path)}</code>. {message === 'Not found' ? '' : message}
      </p>
      <div class="actions">
        {around ? (
          <>
            <a class="button main" href={HOME}>
              Approvals
            </a>
            <a class="button" href="/logging">
              All pages
            </a>
          </>
        ) : (
          <a class="button main" href={SIGN_IN}>
            Sign in
          </a>
        )}
        <a class="button" href="/docs">
          API reference
        </a>
      </div>
    </section>
  )
  return { title: 'No page here', body }
}
