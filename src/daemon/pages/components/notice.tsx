/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import type { Notice } from '../notice.js'

/** A message to the reader. Screen readers say it at once. */
export function NoticeBox({ tone, children }: { tone: Notice['tone']; children?: Child }) {
  return (
    <p class={`notice ${tone}`} role={tone === 'good' ? 'status' : 'alert'}>
      {children}
    </p>
  )
}
