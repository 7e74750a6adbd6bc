import type { Form } from './form.js'

/**
 * The kind of a field. References in `text`, `number` and `integer` fields are resolved when a run reads
 * them. Times, flags and `literal` fields are used as stored.
 */
export type FieldKind =
  | 'text'
  | 'number'
  | 'integer'
  | 'flag'
  /** `HH:MM` or `HH:MM:SS` in IST. References are not resolved. */
  | 'time'
  /** Any JSON: a list, an object, or JSON text. */
  | 'json'

/** One field of a node's configuration. Its schema, default and documentation come from here. */
export interface Field {
  kind: FieldKind
  /** One line of documentation that ends with a full stop. */
  description: string
  /** The value if the field is missing or blank. */
  default?: string | number | boolean | readonly unknown[]
  /** True if the field must be set before a workflow can run. */
  required?: boolean
  /** The allowed values, ignoring case. */
  choices?: readonly string[]
  /** The form of a text that is written out. A workflow with another text can be stored, but not activated. */
  form?: Form
  /** The objects of a list, or of a text that stands for a list. */
  items?: Items
  /** The smallest and the largest number, checked like `form`. */
  min?: number
  max?: number
  /** Other names of the field in stored graphs. The first one that is not blank counts. */
  aliases?: readonly string[]
  /** True if the field defines an order. An unresolved reference in it prevents the order. */
  guarded?: boolean
  /** True if a list or an object may stand in the text, as JSON. */
  embedsJson?: boolean
  /** True if the field is used as stored, with references unresolved. */
  literal?: boolean
  /** True if files show a mapping where graphs hold JSON text. */
  jsonText?: boolean
}

export type Fields = Readonly<Record<string, Field>>

/** The objects in a list field. */
interface Items {
  readonly fields: Fields
  /** Returns the items of a stored value, each in its place. Those that are not objects are not written out. */
  of(saved: unknown): readonly unknown[]
}
