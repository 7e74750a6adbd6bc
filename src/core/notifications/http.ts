import { messageOf } from '../errors/index.js'
import type { Clock } from '../time/index.js'
import { SendFailure } from './schema.js'

const MAX_ANSWER = 1_048_576

interface Call {
  url: string
  headers?: Record<string, string>
  json?: unknown
  form?: FormData
  timeoutMs: number
  signal: AbortSignal
  /** Texts that must not appear in an error: tokens are part of addresses. */
  secrets: readonly string[]
}

/** Posts to the API of a channel. A redirect is refused: it would carry the token to another host. */
export async function post(
  clock: Clock,
  { form, headers = {}, json, secrets, signal, timeoutMs, url }: Call,
): Promise<{ status: number; body: unknown }> {
  const deadline = new AbortController()
  const timer = clock.setTimeout(() => deadline.abort(new Error('no answer in time')), timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...(form ? {} : { 'content-type': 'application/json' }), ...headers },
      body: form ?? JSON.stringify(json),
      redirect: 'error',
      signal: AbortSignal.any([deadline.signal, signal]),
    })
    return { status: response.status, body: jsonOf(await response.text()) }
  } catch (error) {
    throw new SendFailure(masked(reasonOf(error), secrets), { isFinal: false })
  } finally {
    clock.clear(timer)
  }
}

function jsonOf(text: string): unknown {
  if (text.length > MAX_ANSWER) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The useful part of a failed fetch is its cause. */
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : { cause: undefined }
  return cause instanceof Error ? `${messageOf(error)}: ${messageOf(cause)}` : messageOf(error)
}

function masked(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text)
}
