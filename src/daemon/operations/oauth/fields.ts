import { z } from 'zod'

/** Longer texts are refused before anything looks at them. */
const MAX_TEXT = 4096

/** A text of a request of OAuth or of its administration. */
export const oauthText = z.string('must be string.').max(MAX_TEXT, `Longer than maximum length ${MAX_TEXT}.`)
export const oauthFlag = z.boolean('must be boolean.')

/** How a client proves who it is in a body. */
export const clientProof = { client_id: oauthText.optional(), client_secret: oauthText.optional() }

/** What a request of OAuth needs that nobody may find while remote access is off. */
export const off = ['not_found', 'unavailable'] as const
export const json = ['validation', 'too_large', 'unsupported_media'] as const
export const FORM = 'application/x-www-form-urlencoded'
