import type { z } from 'zod'
import type { Operations } from './index.js'
import type { Operation } from './operation.js'
import type { Parsed } from './schema-types.js'

/** The names of all operations. */
export type KnownOperationName = keyof Operations & string

type SchemaIn<Row extends Operation, Part extends 'body' | 'query' | 'answer'> = NonNullable<Row[Part]>
type SchemaOf<N extends KnownOperationName, Part extends 'body' | 'query' | 'answer'> = SchemaIn<
  Operations[N],
  Part
>

/** The names of the placeholders in a path. */
type Placeholders<Path extends string> = Path extends `${string}:${infer First}/${infer Rest}`
  ? First | Placeholders<`/${Rest}`>
  : Path extends `${string}:${infer Last}`
    ? Last
    : never

export type PayloadOf<N extends KnownOperationName> = Parsed<SchemaOf<N, 'body'>>
export type QueryOf<N extends KnownOperationName> = Parsed<SchemaOf<N, 'query'>>
export type ParamsOf<N extends string> = Readonly<Record<Placeholders<N>, string>>
/** The body of a success of an operation. */
export type AnswerIn<Row extends Operation> = Parsed<SchemaIn<Row, 'answer'>>
export type AnswerOf<N extends KnownOperationName> = AnswerIn<Operations[N]>

/**
 * The type that a caller writes. A number may also be sent as text, so its schema has the input type
 * `unknown`; this type uses the parsed type instead.
 */
type Sent<Input, Output> = unknown extends Input
  ? Output
  : Input extends readonly (infer InputItem)[]
    ? Output extends readonly (infer OutputItem)[]
      ? readonly Sent<InputItem, OutputItem>[]
      : never
    : Input extends object
      ? { [K in keyof Input]: Sent<Input[K], Member<NonNullable<Output>, K>> }
      : Input

/** The type of a member of an object, which may itself be optional. */
type Member<T, K> = K extends keyof T ? T[K] : never

type Written<S> = [S] extends [never]
  ? undefined
  : S extends z.ZodType
    ? Sent<z.input<S>, z.output<S>>
    : undefined

/** The body of a request as a caller writes it, without the credential. */
export type RequestBodyIn<Row extends Operation> = Written<SchemaIn<Row, 'body'>>
export type RequestQueryIn<Row extends Operation> = Written<SchemaIn<Row, 'query'>>
