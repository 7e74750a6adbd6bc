import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import { CronExpressionParser } from 'cron-parser'
import { z } from 'zod'
import { parseTimeOfDay } from '../time/index.js'
import { parseRateLimit, type RateWindow } from './rate-limit.js'
import { sampleValueProblem } from './secrets/published-samples.js'

/**
 * A kind of setting: how its text is parsed and which values it allows. Error texts never repeat the value.
 */
export interface Kind<T> {
  name: string
  /** The allowed values, in words. */
  range: string
  schema: z.ZodType<T, string>
}

const TRUE = ['true', '1', 'yes', 'y', 'on', 't']
const FALSE = ['false', '0', 'no', 'n', 'off', 'f']

/** Creates a kind from a parser that returns undefined for invalid text. */
function kind<T>(name: string, range: string, read: (text: string) => T | undefined): Kind<T> {
  const schema = z.string().transform((text, ctx): T => {
    const value = read(text.trim())
    if (value !== undefined) return value
    ctx.addIssue({ code: 'custom', message: `must be ${range}` })
    return z.NEVER
  })
  return { name, range, schema }
}

export const flag = kind('boolean', 'true or false', (text) => {
  const word = text.toLowerCase()
  return TRUE.includes(word) ? true : FALSE.includes(word) ? false : undefined
})

export function integer(min: number, max: number, unit = ''): Kind<number> {
  return kind('integer', `a whole number from ${min} to ${max}${unit && ` (${unit})`}`, (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  })
}

/** When a person confirms a change while orders reach the broker. */
export type ConfirmLive = 'never' | 'always' | number

export const confirmLive: Kind<ConfirmLive> = kind(
  'choice',
  'never, always, or a value in whole rupees',
  (text) => {
    const word = text.toLowerCase()
    if (word === 'never' || word === 'always') return word
    return /^\d{1,12}$/.test(text) ? Number(text) : undefined
  },
)

/** A market protection: -1 is the broker's own. */
export const marketProtection: Kind<number> = kind(
  'number',
  '-1, or a number above 0 and at most 100',
  (text) => {
    const value = /^(-1|\d{1,3}(\.\d{1,2})?)$/.test(text) ? Number(text) : Number.NaN
    return value === -1 || (value > 0 && value <= 100) ? value : undefined
  },
)

export function percent(): Kind<number> {
  return kind('number', 'a number from 0 to 100', (text) => {
    const value = /^\d{1,3}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
    return value >= 0 && value <= 100 ? value : undefined
  })
}

export function oneOf<const T extends readonly string[]>(values: T): Kind<T[number]> {
  return kind('choice', `one of ${values.join(', ')}`, (text) =>
    values.find((value) => value.toLowerCase() === text.toLowerCase()),
  )
}

/** Some of the values, joined by commas. */
export function someOf<const T extends readonly string[]>(values: T): Kind<readonly T[number][]> {
  return kind('choices', `some of ${values.join(', ')}, joined by commas`, (text) => {
    const listed = text.split(',').map((name) => name.trim().toLowerCase())
    const known = values.filter((value) => listed.includes(value.toLowerCase()))
    return known.length === new Set(listed).size ? known : undefined
  })
}

export function text(range: string, pattern: RegExp): Kind<string> {
  return kind('text', range, (value) => (pattern.test(value) ? value : undefined))
}

/**
 * Host names are refused: some shells export a host name as HOST, which must not decide the address of the
 * service.
 */
export const bindAddress = kind('address', 'an IP address or localhost', (value) =>
  value === 'localhost' || isIP(value) > 0 ? value : undefined,
)

export const ipAddress = kind('address', 'an IP address', (value) => (isIP(value) > 0 ? value : undefined))

export const timeOfDay = kind('time', 'a time of day, HH:MM in IST', (value) => {
  const padded = /^\d:\d\d$/.test(value) ? `0${value}` : value
  return padded.length === 5 && parseTimeOfDay(padded) !== undefined ? padded : undefined
})

/** A cron expression in IST. A time of day becomes the expression of every day. */
export const schedule = kind(
  'schedule',
  'a time of day (HH:MM), or five cron fields of numbers such as 30 16 * * 1-5, in IST',
  (value) => {
    const time = /^(\d{1,2}):(\d\d)$/.exec(value)
    const cron = time ? `${Number(time[2])} ${Number(time[1])} * * *` : value
    return /^[\d*/,-]+( [\d*/,-]+){4}$/.test(cron) && isCron(cron) ? cron : undefined
  },
)

/** Returns whether an expression is valid and ever due. */
function isCron(expression: string): boolean {
  try {
    CronExpressionParser.parse(expression, { currentDate: 0 }).next()
    return true
  } catch {
    return false
  }
}

/** Epoch milliseconds, or `now` or `recorded`. */
export const replayStart = kind('instant', 'now, recorded, or an instant (ISO 8601 with a zone)', (value) => {
  const word = value.toLowerCase()
  if (word === 'now' || word === 'recorded') return word
  const instant = /^[^T]*T.*(Z|[+-]\d{2}:?\d{2})$/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(instant) ? undefined : instant
})

export const rateLimit: Kind<readonly RateWindow[]> = kind(
  'rate limit',
  'limits like "10 per second" or "10 per second;200 per minute"',
  (value) => {
    try {
      return parseRateLimit(value)
    } catch {
      return undefined
    }
  },
)

/** `name=url,name=url`. */
export const endpoints: Kind<Readonly<Record<string, string>>> = kind(
  'endpoints',
  'name=url pairs joined by commas, with http, https, ws or wss urls',
  (value) => {
    const pairs = value
      .split(',')
      .map((pair) => /^\s*([\w.-]+)\s*=\s*((?:http|ws)s?:\/\/\S+?)\s*$/.exec(pair))
    if (pairs.some((pair) => !pair || !URL.canParse(pair[2] ?? ''))) return undefined
    return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']))
  },
)

/** `https://desk.example,https://other.example:8443`, in the form of a browser's Origin header. */
export const origins: Kind<readonly string[]> = kind(
  'origins',
  'origins like https://desk.example joined by commas',
  (value) => {
    const listed = value.split(',').map((origin) => origin.trim().replace(/\/$/, ''))
    const named = listed.flatMap((origin) => (URL.canParse(origin) ? new URL(origin) : []))
    const plain = named.filter(
      ({ hash, password, pathname, protocol, search, username }) =>
        /^https?:$/.test(protocol) && pathname === '/' && search + hash + username + password === '',
    )
    return plain.length === listed.length ? plain.map(({ origin }) => origin) : undefined
  },
)

/** Origins, or `*` for any. */
export const originsOrAny: Kind<readonly string[] | '*'> = kind(
  'origins',
  '*, or origins like https://desk.example joined by commas',
  (value) => (value === '*' ? value : origins.schema.safeParse(value).data),
)

/** `Content-Type,X-API-KEY`: names of headers or methods. */
export const names: Kind<readonly string[]> = kind('names', 'names joined by commas', (value) => {
  const listed = value.split(',').map((name) => name.trim())
  return listed.every((name) => /^[\w-]{1,64}$/.test(name)) ? listed : undefined
})

/** `https://desk.example`: one origin. */
export const origin: Kind<string> = kind('origin', 'an origin like https://desk.example', (value) => {
  const { data = [] } = origins.schema.safeParse(value)
  return data.length === 1 ? data[0] : undefined
})

const THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** An origin that gets secrets: encrypted, or on this machine. */
export const safeOrigin: Kind<string> = kind(
  'origin',
  'an origin like https://desk.example; http only for this machine',
  (value) => {
    const { data } = origin.schema.safeParse(value)
    const { hostname, protocol } = new URL(data ?? 'http://none')
    return protocol === 'https:' || THIS_MACHINE.test(hostname) ? data : undefined
  },
)

/** A network of addresses, such as `10.0.0.0/8`. */
export interface Network {
  address: string
  bits: number
  family: 'ipv4' | 'ipv6'
}

/** `10.0.0.0/8,::1`: addresses and networks. */
export const networks: Kind<readonly Network[]> = kind(
  'networks',
  'addresses or networks like 10.0.0.0/8 joined by commas',
  (value) => {
    const listed = value.split(',').map((entry) => networkOf(entry.trim()))
    const known = listed.flatMap((network) => network ?? [])
    return known.length === listed.length ? known : undefined
  },
)

function networkOf(entry: string): Network | undefined {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const version = isIP(address)
  if (version === 0) return undefined
  const [longest, family] = version === 4 ? ([32, 'ipv4'] as const) : ([128, 'ipv6'] as const)
  const bits = length === undefined ? longest : Number(length)
  return bits <= longest ? { address, bits, family } : undefined
}

/**
 * A header that holds an address, in lower case. `Forwarded` wraps it in parameters (`for=…;proto=…`), so it is
 * refused.
 */
export const addressHeader = kind(
  'header',
  'the name of a header that holds an address, such as CF-Connecting-IP (not Forwarded)',
  (value) => {
    const name = value.toLowerCase()
    return /^[a-z0-9-]{1,64}$/.test(name) && name !== 'forwarded' ? name : undefined
  },
)

/** `https://desk.example/zerodha/callback`: the last two segments of the path name the broker. */
export const redirectUrl: Kind<{ url: string; broker: string }> = kind(
  'url',
  'an http or https url that ends in /<broker>/callback, with the id of a broker',
  (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined
    const [, broker] = /\/([a-z0-9_]{1,64})\/callback$/.exec(url?.pathname ?? '') ?? []
    const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
    return isWeb && broker !== undefined ? { url: value, broker } : undefined
  },
)

/** `desk.internal,nas.internal:9000`, in lower case; the port is optional. */
export const hosts: Kind<readonly string[]> = kind(
  'hosts',
  'host or host:port entries joined by commas',
  (value) => {
    const entries = value
      .split(',')
      .map((entry) => /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.exec(entry.trim()))
    const named = entries.flatMap((entry) => {
      if (!entry || !URL.canParse(`http://${entry[0]}`)) return []
      return `${new URL(`http://${entry[0]}`).hostname}${entry[2] ?? ''}`
    })
    return named.length === entries.length ? named : undefined
  },
)

/** `user=chat,user=chat`. */
export const chats: Kind<Readonly<Record<string, string>>> = kind(
  'chats',
  'user=chat id pairs joined by commas',
  (value) => {
    const pairs = value.split(',').map((pair) => /^\s*([^\s=,]{1,80})\s*=\s*(-?\d{1,20})\s*$/.exec(pair))
    if (pairs.some((pair) => !pair)) return undefined
    return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']))
  },
)

/** Absolute folders, joined by commas. */
export const folders: Kind<readonly string[]> = kind(
  'folders',
  'absolute folders joined by commas',
  (value) => {
    const listed = value.split(',').map((folder) => folder.trim())
    return listed.every((folder) => isAbsolute(folder) && !folder.includes('\0')) ? listed : undefined
  },
)

/** A secret that matches the pattern and is not a published sample value. */
export function secretText(range: string, pattern: RegExp): Kind<string> {
  const schema = z.string().transform((value, ctx): string => {
    const problem = sampleValueProblem(value) ?? (pattern.test(value) ? undefined : `must be ${range}`)
    if (!problem) return value
    ctx.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  })
  return { name: 'secret', range, schema }
}

/** The placeholders of sample files. A real key may be a short number, so it is not judged as a secret of ours. */
const KEY_PLACEHOLDER = /^your[_ -]|place[_ -]?holder|change[_ -]?me|<.*>/i

/** A key or secret that a broker gave. */
export const brokerKey = kind(
  'secret',
  'a key of 6 to 512 characters without spaces, and no placeholder',
  (value) => (/^\S{6,512}$/.test(value) && !KEY_PLACEHOLDER.test(value) ? value : undefined),
)
