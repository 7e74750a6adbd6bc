import type { IncomingMessage } from 'node:http'
import { NoAnswerError } from '../errors.js'
import {
  answerIn,
  begin,
  type Call,
  type ExchangeOptions,
  failureOf,
  type HttpResponse,
  strangerText,
} from './exchange.js'
import { type Json, objectOf } from './json.js'

/** The lines of a stream as they arrive, or the refusal. */
type LineStream = { ok: true; lines: AsyncGenerator<Json> } | { ok: false; answer: HttpResponse }

/**
 * Requests a stream of JSON objects, one per line. The stream may be silent for any time; the signal ends it.
 * @throws NoAnswerError when there is no daemon. The lines throw it also when the connection breaks
 */
export async function openLines(url: string, call: Call, options: ExchangeOptions): Promise<LineStream> {
  const opened = await open(url, call, options)
  return 'answer' in opened ? { ok: false, ...opened } : { ok: true, lines: linesOf(opened.response) }
}

/** The text of an answer as it arrives, or the refusal. */
type TextStream = { ok: true; texts: AsyncGenerator<string> } | { ok: false; answer: HttpResponse }

/**
 * Requests a text of any length, such as a file. The daemon sends on when the texts before are taken.
 * @throws NoAnswerError like {@link openLines}
 */
export async function openText(url: string, call: Call, options: ExchangeOptions): Promise<TextStream> {
  const opened = await open(url, call, options)
  return 'answer' in opened ? { ok: false, ...opened } : { ok: true, texts: textsOf(opened.response) }
}

type Opened = { response: IncomingMessage } | { answer: HttpResponse }

async function open(url: string, call: Call, options: ExchangeOptions): Promise<Opened> {
  try {
    const response = await begin(url, call, options)
    const status = response.statusCode ?? 0
    return status >= 200 && status < 300 ? { response } : { answer: await answerIn(response) }
  } catch (thrown) {
    throw noAnswer(thrown, strangerText(thrown, url))
  }
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<Json> {
  let rest = ''
  for await (const chunk of textsOf(response)) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const object = objectOf(line)
      if (object) yield object
    }
  }
  const last = objectOf(rest)
  if (last) yield last
}

async function* textsOf(response: IncomingMessage): AsyncGenerator<string> {
  try {
    for await (const chunk of response.setEncoding('utf8')) yield String(chunk)
  } catch (cause) {
    throw noAnswer(new Error('The connection broke', { cause }))
  }
}

function noAnswer(thrown: unknown, stranger?: string): NoAnswerError {
  const { reason, sent } = failureOf(thrown)
  return new NoAnswerError(stranger ?? `The connection broke (${reason})`, sent, thrown)
}
