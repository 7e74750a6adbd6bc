import { z } from 'zod'
import { EXCHANGES, type Instrument } from '../schema.js'

/**
 * The packed form of a master: one buffer that is both the content of the snapshot file and the memory the
 * directory reads. The start unpacks nothing, so a hundred thousand rows are ready as soon as the file is
 * read.
 *
 *   magic, checksum, header length (uint32 each, in the machine's byte order) · header (JSON) · sections
 *
 * Columns with repeated values (exchange, expiry, tick …) store codes into a dictionary in the header. The
 * three columns of distinct texts share one array of bytes. The look-up indexes are hash tables with open
 * addressing; a slot has row + 1.
 */
export const MAGIC = 0x53564331
export const PREAMBLE_BYTES = 12
/** The checksum covers everything from this byte: the header's length, the header and the sections. */
export const CHECKED_FROM = 8
/** Sections start at multiples of this, so that typed arrays can view them in place. */
const ALIGNMENT = 8

/** Texts that differ in nearly every row. */
export const TEXT_FIELDS = [
  'symbol',
  'brokerSymbol',
  'token',
] as const satisfies readonly (keyof Instrument)[]
export type TextField = (typeof TEXT_FIELDS)[number]

const NAME_FIELDS = [
  'name',
  'exchange',
  'brokerExchange',
  'expiry',
  'instrumentType',
] as const satisfies readonly (keyof Instrument)[]
export type NameField = (typeof NAME_FIELDS)[number]

const NUMBER_FIELDS = [
  'strike',
  'lotSize',
  'tickSize',
  'contractValue',
] as const satisfies readonly (keyof Instrument)[]
export type NumberField = (typeof NUMBER_FIELDS)[number]

/** The look-up indexes: a text within an exchange, either ours or the broker's. */
export const INDEXES = [
  { text: 'symbol', group: 'exchange' },
  { text: 'brokerSymbol', group: 'brokerExchange' },
  { text: 'token', group: 'brokerExchange' },
] as const satisfies readonly { text: TextField; group: NameField }[]

export const headerSchema = z.object({
  version: z.literal(1),
  count: z.int().nonnegative(),
  names: z.object({
    name: z.array(z.string()),
    exchange: z.array(z.enum(EXCHANGES)),
    brokerExchange: z.array(z.string()),
    expiry: z.array(z.string()),
    instrumentType: z.array(z.string()),
  }),
  numbers: z.object({
    strike: z.array(z.number()),
    lotSize: z.array(z.number()),
    tickSize: z.array(z.number()),
    contractValue: z.array(z.number().nullable()),
  }),
  /** Byte length of each section, in order. */
  sections: z.array(z.tuple([z.string(), z.int().nonnegative()])),
})
export type Header = z.infer<typeof headerSchema>

export const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT

/**
 * FNV-1a hash of the text, seeded with the group's code. The encoder and the look-up use the same function.
 */
export function hashOf(text: string, group: number): number {
  let hash = 0x811c9dc5 ^ Math.imul(group + 1, 0x9e3779b1)
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
