/** @jsxImportSource hono/jsx */
import type { View } from '../page.js'

/** The pages as links. */
export const landingView: View<'GET /logging'> = ({ data }) => ({
  title: 'All logs',
  body: (
    <>
      <h1>All logs</h1>
      <p class="lead">Every page of the service.</p>
      <ul class="links">
        {data.map(({ path, title, description }) => (
          <li>
            <a href={path}>
              <b>{title}</b>
              <span>{description}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  ),
})
