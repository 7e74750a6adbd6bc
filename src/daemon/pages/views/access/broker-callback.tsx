/** @jsxImportSource hono/jsx */
import { NoticeBox } from '../../components/notice.js'
import type { PageContent, View } from '../../page.js'
import { refusalSchema } from '../error.js'

/** The end of a sign-in at a broker's page. */
export const brokerCallbackView: View<'GET /:broker/callback'> = ({ broker }) => {
  const body = (
    <section class="narrow">
      <h1>Signed in, close this page</h1>
      <p class="lead">svc is signed in to {broker}.</p>
      <p>
        Its state: <code>svc broker status</code>
      </p>
    </section>
  )
  return { title: 'Signed in', body, formTargets: [] }
}

/** A callback that did not sign in: why, and what to do. It leads nowhere, because its address works once. */
export function brokerCallbackRefused(answer: unknown): PageContent {
  const { message } = refusalSchema.parse(answer)
  const body = (
    <section class="narrow">
      <h1>Not signed in</h1>
      <NoticeBox tone="bad">{message}</NoticeBox>
      <p>
        A sign-in begins on a terminal of svc: <code>svc broker login</code>. Close this page and open the
        address that it shows.
      </p>
    </section>
  )
  return { title: 'Not signed in', body, formTargets: [] }
}
