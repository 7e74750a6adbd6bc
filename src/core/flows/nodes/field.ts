/**
 * What a field of a node's configuration takes. `text`, `number` and `integer` are interpolated when a run reads
 * them; `raw` values, times, flags and choices marked `literal` are read as they were saved.
 */
export type FieldKind =
  | 'text'
  | 'number'
  | 'integer'
  | 'flag'
  /** `HH:MM`, or `HH:MM:SS`, in India. Never interpolated. */
  | 'time'
  /** Any JSON: a list, an object, or text that holds one. */
  | 'json'

/** One field of a node's configuration: the source of its schema, its default and its documentation. */
export interface Field {
  kind: FieldKind
  /** One line for people, ending in a full stop. */
  description: string
  /** Read when the field is left out or blank. */
  default?: string | number | boolean | readonly unknown[]
  /** Must be there before a workflow may run. */
  required?: boolean
  /** The only values; compared without regard to case. */
  choices?: readonly string[]
  /** Smallest and largest number. */
  min?: number
  max?: number
  /** Other names under which saved graphs have it; the first that is not blank wins. */
  aliases?: readonly string[]
  /** It defines an order: a reference that stays unresolved in it keeps the order from being sent. */
  guarded?: boolean
  /** Read as saved, without interpolation. */
  literal?: boolean
}

export type Fields = Readonly<Record<string, Field>>
