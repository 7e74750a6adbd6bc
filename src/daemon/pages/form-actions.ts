import type { KnownOperationName } from '../operations/types.js'
import { HOME } from './addresses.js'
import { type Fields, type Form, given, PROOF } from './forms.js'
import { ownPath } from './negotiate.js'
import { STRATEGY_FORMS } from './strategy-forms.js'
import { BAN_WORD, ownAddressQuestion } from './views/access/own-address.js'
import { setUpContent } from './views/access/sign-in.js'

const QUEUE: Form = { page: '/action-center' }
/** It says what the page has shown, so that nothing else is sent. */
const APPROVAL: Form = { ...QUEUE, body: approvalBody, maxBytes: 1_048_576 }
const SECURITY: Form = { page: '/security' }

/** The routes that forms of pages call, with how they call them. */
export const FORMS: { readonly [N in KnownOperationName]?: Form } = {
  'POST /auth/login': {
    page: '/login',
    isForVisitors: true,
    next: ({ status }, fields) =>
      status === 'totp_required'
        ? `/auth/login/totp?${new URLSearchParams({ next: nextPath(fields) })}`
        : nextPath(fields),
  },
  'POST /auth/login/totp': {
    page: '/auth/login/totp',
    isForVisitors: true,
    next: (_answer, fields) => nextPath(fields),
  },
  'POST /auth/logout': { page: '/login' },
  'POST /auth/reauthenticate': {
    page: PROOF,
    isForVisitors: true,
    next: (_answer, fields) => nextPath(fields),
  },
  'POST /setup': {
    page: '/setup',
    isForVisitors: true,
    refusal: ({ confirm_password: again, password }) =>
      password === again ? undefined : 'The two passwords differ',
    headers: ({ setup_token: token = '' }) => ({ 'x-setup-token': token.trim() }),
    show: ({ username, apikey }) => setUpContent(String(username), String(apikey)),
  },
  'POST /oauth/authorize': {
    page: '/oauth/authorize',
    // The route checks that the client has registered this address.
    next: ({ redirect_to: to }) => (typeof to === 'string' ? to : undefined),
  },
  'POST /action-center/approve/:id': APPROVAL,
  'POST /action-center/reject/:id': QUEUE,
  'POST /action-center/delete/:id': QUEUE,
  'POST /action-center/approve-all/:id': APPROVAL,
  'POST /security/ban': { ...SECURITY, refusal: withoutWord, body: banBody, ask: ownAddressQuestion },
  'POST /security/unban': SECURITY,
  'POST /security/clear-404': SECURITY,
  'POST /security/settings': { ...SECURITY, body: settingsBody },
  ...STRATEGY_FORMS,
}

/** Returns the page that the visitor wanted before the sign-in. */
const nextPath = ({ next }: Fields): string => ownPath(next) ?? HOME

function approvalBody({ expected }: Fields): object {
  if (expected === undefined) return {}
  try {
    return { expected: JSON.parse(expected) }
  } catch {
    // The route refuses it.
    return { expected }
  }
}

function banBody(fields: Fields): object {
  const { permanent, word, ...ban } = given(fields)
  return { ...ban, permanent: permanent === 'true', ...(word !== undefined && { own_address: true }) }
}

/** The question before a ban of the own address has the field; the other forms have not. */
function withoutWord({ word }: Fields): string | undefined {
  return word === undefined || word.trim() === BAN_WORD
    ? undefined
    : `Nothing was banned: type ${BAN_WORD} to ban your own address.`
}

function settingsBody(fields: Fields): object {
  const { auto_ban_enabled: isOn, ...settings } = given(fields)
  return { ...settings, ...(isOn !== undefined && { auto_ban_enabled: isOn === 'true' }) }
}
