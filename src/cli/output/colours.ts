import type { ChalkInstance } from 'chalk'
import { type CellStyle, cellText, toneOf } from '../../views/table/cells.js'
import { type Column, cellOf } from '../../views/table/column.js'
import type { GlobalSettings } from '../framework/globals.js'
import type { Io, Sink } from '../io/io.js'

/** Returns a cell as shown, with its colour if colours are on. */
export function paintedCell(
  row: object,
  { key, kind = 'text' }: Column,
  style: CellStyle,
  paint: ChalkInstance,
): string {
  const value = cellOf(row, key)
  const text = cellText(value, kind, style, cellOf(row, 'exchange'))
  const tone = toneOf(value, kind)
  return tone ? paint[tone](text) : text
}

/** Decides about colour for each stream separately; off overrides on. */
export async function colours(
  sink: Sink,
  io: Io,
  settings: Pick<GlobalSettings, 'color'>,
): Promise<ChalkInstance> {
  const { Chalk } = await import('chalk')
  return new Chalk({ level: wantsColour(sink, io, settings) ? 1 : 0 })
}

function wantsColour(sink: Sink, { env }: Io, settings: Pick<GlobalSettings, 'color'>): boolean {
  if (!settings.color || env.NO_COLOR || env.TERM === 'dumb') return false
  const forced = env.FORCE_COLOR ?? env.CLICOLOR_FORCE
  return forced !== undefined && forced !== '' ? forced !== '0' : sink.isTty
}
