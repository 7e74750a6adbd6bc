import type { Context, MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { refuseCrossSite } from '../http/admission/cross-site.js'
import { readText } from '../http/body/body.js'
import { CODE_HEADER } from '../http/response/errors.js'
import { CSRF_FAILED } from '../middleware/session.js'
import type { AppEnv } from '../process/env.js'
import type { Service } from '../service.js'
import { signInFor } from './addresses.js'
import { isSubmittedForm, ownPath } from './negotiate.js'
import { keepNotice, type Notice } from './notice.js'
import type { PageContent, PageRequest } from './page.js'
import { isSignedOut, requestOf, showPage } from './showing.js'

export type Fields = Readonly<Record<string, string>>

/** The members of an answer that tell a person what happened. */
const outcome = z.looseObject({
  status: z.string().optional(),
  success: z.boolean().optional(),
  message: z.string().optional(),
  error: z.unknown().optional(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
})
export type Outcome = z.output<typeof outcome>

/** How a form of a page calls a route. */
export interface Form {
  /** The page that has the form. The browser returns to it. `:name` stands for that parameter of the form's own path. */
  page: string
  /** The caller needs no session. Any other form leads to the sign-in without one. */
  isForVisitors?: true
  /** Returns why the fields cannot be sent at all, where the route does not check it. */
  refusal?(fields: Fields): string | undefined
  /** The longest form, where its fields are those of a list. */
  maxBytes?: number
  /** Returns the JSON body of the call; by default all fields. */
  body?(fields: Fields): object
  /** Returns the headers of the call that the form has as fields. */
  headers?(fields: Fields): Record<string, string>
  /** Returns the page that follows a success; by default the page of the form with a notice. */
  next?(answer: Outcome, fields: Fields): string | undefined
  /** Says what a success has done, where its answer has no message. */
  notice?(answer: Outcome): Notice
  /** Asks before the same call is made in earnest, where the refusal wants a confirmation. Shown again, it changes nothing. */
  ask?(refusal: Outcome, fields: Fields, request: PageRequest): PageContent | undefined
  /** Shows a success itself, because its answer is shown only once. */
  show?(answer: Outcome): PageContent
}

const SESSION_ENDED: Notice = {
  tone: 'bad',
  text: 'Your session has ended, so nothing was changed. Sign in, and you return to the page.',
}
/** A form that was opened before the last sign-in has the token of the session before. */
const OLD_FORM: Notice = {
  tone: 'bad',
  text: 'This form was opened in an earlier session, so nothing was changed. Submit it again.',
}

/** The page that takes the password again. */
export const PROOF = '/auth/reauthenticate'
const PROOF_NEEDED: Notice = {
  tone: 'warning',
  text: 'Nothing was changed yet: this needs your password again. Then submit the form once more.',
}

/** The longest form, by default: far more than a reason or a password needs. */
const MAX_FORM_BYTES = 65_536

/** Visible ASCII characters. */
const VISIBLE = /^[!-~]*$/

/** The fields that belong to the page and not to the call: where to return to (`retry`: after a refusal), and the session's token. */
const OWN_FIELDS = new Set(['csrf_token', 'back', 'retry', 'next', 'setup_token'])

/**
 * Lets a form of a page call a route. The route runs with the fields as JSON, as for a script. Then the browser
 * is led to a page that shows the result, so that reloading it repeats nothing.
 */
export function answeringForm(form: Form, service: Service): MiddlewareHandler<AppEnv> {
  return async function answeringForm(c, next) {
    if (!isSubmittedForm(c)) return next()
    refuseCrossSite(c)
    const fields: Fields = Object.fromEntries(
      new URLSearchParams(await readText(c, form.maxBytes ?? MAX_FORM_BYTES)),
    )
    const home = form.page.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(c.req.param(name) ?? ''),
    )
    const pageAfter = (nextPath: string | undefined) => {
      const page = ownPath(nextPath)
      return page?.split(/[?#]/)[0] === home ? page : home
    }
    const retry = pageAfter(fields.retry ?? fields.back)
    const refusal = form.refusal?.(fields)
    if (refusal !== undefined) {
      keepNotice(c, { tone: 'bad', text: refusal })
      return c.redirect(retry, 303)
    }
    callWith(c, form, fields)
    await next()
    const answer = outcome.catch({}).parse(await c.res.clone().json())
    if (c.res.ok && form.show) return showPage(c, form.show(answer), requestOf(c, service))
    const asking = c.res.ok ? undefined : questionOf(c, { form, answer, fields, service })
    if (asking) return showPage(c, asking.content, asking.request)
    const leading = leadingElsewhere(c, form, retry)
    if (leading) {
      keepNotice(c, leading.notice)
      c.res = c.redirect(leading.to, 303)
      return
    }
    const following = c.res.ok ? form.next?.(answer, fields) : undefined
    if (following === undefined) keepNotice(c, noticeOf(answer, c.res.ok, form))
    c.res = c.redirect(following ?? (c.res.ok ? pageAfter(fields.back) : retry), 303)
  }
}

/** Returns the page that asks before a refused call is confirmed; undefined if there is nothing to confirm. */
function questionOf(
  c: Context<AppEnv>,
  { form, answer, fields, service }: { form: Form; answer: Outcome; fields: Fields; service: Service },
) {
  if (form.ask === undefined || isSignedOut(c)) return undefined
  const request = requestOf(c, service)
  const content = form.ask(answer, fields, request)
  return content && { content, request }
}

/** Returns the page that the user must see before the form can be submitted again; undefined if there is none. */
function leadingElsewhere(
  c: Context<AppEnv>,
  { isForVisitors }: Form,
  page: string,
): { to: string; notice: Notice } | undefined {
  if (isSignedOut(c) && !isForVisitors) return { to: signInFor(page), notice: SESSION_ENDED }
  if (c.res.headers.get(CODE_HEADER) !== 'reauthentication_required') return undefined
  return { to: `${PROOF}?${new URLSearchParams({ next: page })}`, notice: PROOF_NEEDED }
}

/** Replaces the form by the call that it stands for. */
function callWith(c: Context<AppEnv>, { body, headers }: Form, fields: Fields): void {
  const { raw } = c.req
  const sent = new Headers(raw.headers)
  for (const name of ['content-length', 'transfer-encoding']) sent.delete(name)
  sent.set('content-type', 'application/json')
  const added = { 'x-csrf-token': fields.csrf_token ?? '', ...headers?.(fields) }
  // A header cannot have other characters, and no token has them. Without its token, the call is refused.
  for (const [name, value] of Object.entries(added)) sent.set(name, VISIBLE.test(value) ? value : '')
  const text = JSON.stringify(body?.(fields) ?? given(fields))
  sent.set('content-length', String(Buffer.byteLength(text)))
  c.req.raw = new Request(raw.url, { method: raw.method, headers: sent, body: text })
  c.req.bodyCache = {}
}

/** Returns the fields that have a value, without those of the page. */
export function given(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== '' && !OWN_FIELDS.has(name)),
  )
}

function noticeOf(answer: Outcome, isOk: boolean, { notice }: Form): Notice {
  if (isOk && notice) return notice(answer)
  const { status, message = 'Done', error, errors } = answer
  if (error === CSRF_FAILED) return OLD_FORM
  const tone =
    isOk && status !== 'warning' && status !== 'error' ? 'good' : status === 'warning' ? 'warning' : 'bad'
  const details = [
    ...(typeof error === 'string' && error !== message ? [error] : []),
    ...Object.entries(errors ?? {}).map(([field, texts]) => `${field}: ${texts.join(' ')}`),
  ].filter((text) => !message.includes(text))
  return { tone, text: [message, ...details].join(' · ') }
}
