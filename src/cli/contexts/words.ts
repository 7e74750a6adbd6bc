import { visible } from '../../views/table/cells.js'
import { usageError } from '../framework/errors.js'

/** The name of the daemon of the home on this machine. It is no entry of the file. */
export const LOCAL = 'local'

/** The daemon that the command line or the environment names. */
export type NamedDaemon = { url: string } | { context: string }

/** The colours that a context may have, of the sixteen that every terminal has. */
export const CONTEXT_COLOURS = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const
export type ContextColour = (typeof CONTEXT_COLOURS)[number]

export function colourOf(text: string | undefined): ContextColour | undefined {
  return CONTEXT_COLOURS.find((colour) => colour === text)
}

/** A name is also the name of a folder, so it has no slash, no blank and no character that a terminal obeys. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

export function isContextName(name: string): boolean {
  return NAME.test(name) && name !== LOCAL
}

/** Returns the name of a new context. @throws a usage error that says the rule */
export function newName(name: string): string {
  if (name === LOCAL) {
    throw usageError('The context local is the home of this machine; it cannot be added, renamed or removed.')
  }
  if (isContextName(name)) return name
  throw usageError(
    `The name "${visible(name)}" is not the name of a context: letters, digits, ".", "_" and "-", at most 63, first a letter or digit.`,
    'Example: svc context add prod --url https://desk.example.com',
  )
}

/** The form of an id, as `GET /health` says it. */
export function checkedId(id: string): string {
  const typed = id.trim().toLowerCase()
  if (/^[0-9a-f]{32}$/.test(typed)) return typed
  throw usageError(
    `--id must be 32 hexadecimal characters, was "${visible(id)}".`,
    'The daemon says its id: svc context current --json on its machine',
  )
}

/**
 * Returns the address of a daemon in its one form. Over plain HTTP anybody on the way can read a credential and pass the
 * proof of the daemon on, so plain HTTP stays on this machine.
 * @throws a usage error that says the rule
 */
export function contextUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:\/\//i.test(text)) {
    throw usageError(
      `--url must be an http or https URL, was "${visible(withoutSecret(text))}".`,
      'Example: --url https://desk.example.com',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError('--url must not have a user name or password in it.', 'Sign in instead: svc login')
  }
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text)) {
    throw usageError('--url must not have a query or a fragment.')
  }
  if (!/^\/*$/.test(url.pathname)) {
    throw usageError(
      `--url must not have a path, was "${visible(text)}": a daemon has a host of its own.`,
      `Example: --url ${url.origin}`,
    )
  }
  if (url.protocol === 'http:' && !isLoopback(url.origin)) {
    throw usageError(
      `--url must begin with https unless the host is this machine, was "${visible(text)}".`,
      'Put TLS in front of the daemon (docs/deployment.md), or go through a tunnel: ssh -L 5001:127.0.0.1:5000 HOST, then --url http://127.0.0.1:5001',
    )
  }
  return url.origin
}

const withoutSecret = (text: string) => text.replace(/\/\/[^/@]*@/, '//…@')

/** Returns whether an address is one of this machine: nobody else is on the way to it. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
