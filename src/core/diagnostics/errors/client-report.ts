import { stripVTControlCharacters } from 'node:util'
import type { Logger } from '../../logging/index.js'
import { CLIENT_EVENT } from './entry.js'

/** An error that a page in a browser reports. */
export interface ClientReport {
  message: string
  level: 'ERROR' | 'WARN'
  stack?: string | undefined
  url?: string | undefined
  componentStack?: string | undefined
  userAgent?: string | undefined
}

/** The longest text of each part, in characters. */
const MAX = { message: 2000, stack: 20_000, url: 2000, componentStack: 5000, userAgent: 500 } as const
/** The part of a text that is looked at. Escape sequences are removed before it is cut. */
const SLACK = 4

/** Controls, but not the line break; line separators; marks that reverse the direction of writing. */
const CONTROLS = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** Returns a message without control characters, cut to its limit; empty if nothing is left. */
export const clientMessage = (text: string): string => plain(text, MAX.message).trim()

/**
 * Logs the error of a page. The logger masks secrets. Warnings go to the log, but not to the error log.
 * @param user the user who was signed in
 */
export function logClientReport(log: Logger, report: ClientReport, user: string): void {
  const facts = {
    message: clientMessage(report.message).replaceAll('\n', ' '),
    url: address(report.url),
    user_agent: oneLine(report.userAgent, MAX.userAgent),
    component_stack: lines(report.componentStack, MAX.componentStack),
    stack: lines(report.stack, MAX.stack),
    user_id: user,
  }
  if (report.level === 'WARN') log.warn(CLIENT_EVENT, facts)
  else log.error(CLIENT_EVENT, facts)
}

function plain(text: string, max: number): string {
  return stripVTControlCharacters(text.slice(0, SLACK * max))
    .replaceAll('\r\n', '\n')
    .replaceAll(CONTROLS, '')
    .slice(0, max)
}

function oneLine(text: string | undefined, max: number): string | undefined {
  return text === undefined ? undefined : plain(text, max).replaceAll('\n', ' ')
}

function lines(text: string | undefined, max: number): string[] | undefined {
  return text === undefined
    ? undefined
    : plain(text, max)
        .split('\n')
        .filter((line) => line.trim() !== '')
}

/** Returns the address of a page without its query and fragment, which may hold a token. */
function address(url: string | undefined): string | undefined {
  return oneLine(url, MAX.url)?.replace(/[?#].*$/, '')
}
