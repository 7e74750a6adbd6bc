import type { z } from 'zod'

export type Schema = z.ZodType | undefined

/** The parsed value of a schema, or undefined when an operation has no schema. */
export type Parsed<S> = [S] extends [never] ? undefined : S extends z.ZodType ? z.output<S> : undefined

/** The readonly form of a value, so that a function may answer with data that it must not change. */
export type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T
