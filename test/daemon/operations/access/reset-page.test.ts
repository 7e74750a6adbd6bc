import { createHash } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { RESET_PAGE, RESET_PAGE_POLICY } from '../../../../src/daemon/operations/access/reset-page.js'

const script = /<script>(.*)<\/script>/s.exec(RESET_PAGE)?.[1] ?? ''

interface Page {
  text: () => string
  isHidden: () => boolean
  path: () => string
  sent: unknown[]
  submit: () => Promise<void>
}

/** Runs the script of the page at an address, with the answers of the service. */
function openPage(search: string, answer: { ok: boolean; body: object }): Page {
  const sent: unknown[] = []
  const form = {
    hidden: false,
    addEventListener: (_: string, listener: typeof submit) => (submit = listener),
  }
  const note = { textContent: '' }
  let path = `/reset-password${search}`
  let submit: (event: { preventDefault: () => void }) => Promise<void> = async () => undefined
  runInNewContext(script, {
    URLSearchParams,
    location: { search, pathname: '/reset-password' },
    history: { replaceState: (_state: null, _title: string, to: string) => (path = to) },
    document: { querySelector: (name: string) => (name === 'form' ? form : note) },
    FormData: class {
      get = (name: string) => `typed ${name}`
    },
    fetch: async (url: string, init: { body: string }) => {
      sent.push([url, JSON.parse(init.body)])
      return { ok: answer.ok, json: async () => answer.body }
    },
  })
  return {
    text: () => note.textContent,
    isHidden: () => form.hidden,
    path: () => path,
    sent,
    submit: () => submit({ preventDefault: () => undefined }),
  }
}

test('the policy of the page allows its own script and no other', () => {
  const hash = createHash('sha256').update(script).digest('base64')
  expect(RESET_PAGE_POLICY).toContain(`script-src 'sha256-${hash}'`)
  expect(RESET_PAGE.match(/<script/g)).toHaveLength(1)
})

test('the page sends the token of its address with the new password, and takes it out of the address', async () => {
  const done = { ok: true, body: { status: 'success', message: 'Done.' } }
  const page = openPage('?token=t&email=asha%40example.org&verified=true', done)
  expect([page.path(), page.isHidden()]).toEqual(['/reset-password', false])
  await page.submit()
  const typed = { password: 'typed password', confirm_password: 'typed confirm_password' }
  expect(page.sent).toEqual([
    ['/auth/reset-password', { step: 'password', email: 'asha@example.org', token: 't', ...typed }],
  ])
  expect([page.text(), page.isHidden()]).toEqual(['Done.', true])
})

test('the page lists the rules that a password breaks, and can be sent again', async () => {
  const page = openPage('?token=t&email=a', {
    ok: false,
    body: { message: 'One', errors: { password: ['One', 'Two'] } },
  })
  await page.submit()
  expect([page.text(), page.isHidden()]).toEqual(['One. Two', false])
})

test.each(['?error=expired_link', '?error=invalid_link', '', '?error=%3Cb%3E'])(
  'the page without a token (%s) shows why and has no form',
  (search) => {
    const page = openPage(search, { ok: true, body: {} })
    expect(page.isHidden()).toBe(true)
    expect(page.text()).toMatch(/^(This link|Ask for a link)/)
  },
)
