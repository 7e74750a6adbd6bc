import type { Trust } from './transport/agents.js'
import { asObject, type Json } from './transport/json.js'
import { messagesOf } from './transport/socket.js'

export interface EventOptions {
  /** The number of the last event seen. The stream first sends the events after it. */
  since?: number | undefined
  signal?: AbortSignal
  /** How the daemon must prove who it is. */
  trust?: Trust | undefined
}

/** A frame of the event stream. The first of a connection is `connected`. */
export interface ClientEvent {
  event: string
  /** The event number, which rises by one. Pass the last one as `since` to miss nothing. */
  seq: number
  data: Json
  /** Epoch milliseconds. */
  ts: number
}

/** The close codes of the event stream that mean a refusal. */
export const STREAM_REFUSALS: ReadonlyMap<number, string> = new Map([
  [4401, 'Not signed in, or the session has ended.'],
  [4429, 'This session or token has reached its limit of open event streams.'],
])

/** Returns the headers that sign a stream in. */
export function bearerOf(token: string | undefined): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** Yields the events of one connection, until it ends. @throws as {@link messagesOf} */
export async function* followEvents(
  base: string,
  token: string | undefined,
  { since, signal, trust }: EventOptions,
): AsyncGenerator<ClientEvent> {
  const url = new URL('/events', base.replace(/^http/, 'ws'))
  if (since !== undefined) url.searchParams.set('since', String(since))
  for await (const frame of messagesOf(url, {
    headers: bearerOf(token),
    signal,
    trust,
    refusals: STREAM_REFUSALS,
  })) {
    if (frame.type !== 'event') continue
    const { event, seq, data, ts } = frame
    yield {
      event: String(event),
      seq: Number(seq),
      data: asObject(data) ?? {},
      ts: Number(ts),
    }
  }
}
